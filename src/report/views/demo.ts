import { findingWords } from '../../findings/words.ts';
import { heading, paragraph } from '../blocks.ts';
import type { DemoResult } from '../results/demo.ts';
import { shellWord } from '../shell-word.ts';
import type { Report } from '../tree.ts';
import { busyGraph, wordContext } from './diagnosis.ts';
import { tuningReport } from './tuning.ts';

/** The gain, the pipeline and its bottleneck before the plan, the pipeline after it, and the plan. */
export function demoReport({ diagnosis, tuned, tuning, pipeline, images, plan }: DemoResult): Report {
  const command = `npx venturi run ${shellWord(pipeline)} --param ${shellWord(`folder=${images}`)} --epochs 20 --plan ${shellWord(plan)}`;
  const [gained, ...rest] = tuningReport(tuning, command);
  const words = findingWords(diagnosis.verdict, wordContext(diagnosis, command));
  return [
    ...(gained === undefined ? [] : [gained]),
    heading('As it was', 'utilisation of the threads, and throughput'),
    paragraph(`${words.text}.`),
    busyGraph(diagnosis),
    ...(tuned === undefined ? [] : [heading('As it is now'), busyGraph(tuned)]),
    ...rest,
  ];
}
