import { findingWords } from '../../findings/words.ts';
import { heading, paragraph } from '../blocks.ts';
import type { DemoResult } from '../results/demo.ts';
import { shellWord } from '../shell-word.ts';
import type { Report } from '../tree.ts';
import { busyGraph, wordContext } from './diagnosis.ts';
import { tuningReport } from './tuning.ts';

/** The gain, the pipeline and its bottleneck before the plan, the pipeline after it, and the plan. */
export function demoReport({ diagnosis, tuned, tuning, pipeline, images, plan, page }: DemoResult): Report {
  const command = demoCommand({ pipeline, images, plan });
  const [gained, ...rest] = tuningReport(tuning, command);
  const words = findingWords(diagnosis.verdict, wordContext(diagnosis, command));
  return [
    ...(gained === undefined ? [] : [gained]),
    heading('As it was', 'utilisation of the threads, and throughput'),
    paragraph(`${words.text}.`),
    busyGraph(diagnosis),
    ...(tuned === undefined ? [] : [heading('As it is now'), busyGraph(tuned)]),
    ...rest,
    paragraph(`The report of it, to open in a browser: ${page}`),
  ];
}

/** Runs the pipeline again, as planned. */
export const demoCommand = ({ pipeline, images, plan }: Pick<DemoResult, 'pipeline' | 'images' | 'plan'>): string =>
  `npx venturi run ${shellWord(pipeline)} --param ${shellWord(`folder=${images}`)} --epochs 20 --plan ${shellWord(plan)}`;
