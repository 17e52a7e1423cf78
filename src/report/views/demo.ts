import { findingWords } from '../findings/words.ts';
import type { DemoResult } from '../results/demo.ts';
import { shellWord } from '../shell-word.ts';
import type { Block, Report } from '../tree.ts';
import { busyGraph, wordContext } from './diagnosis.ts';
import { tuningReport } from './tuning.ts';

/** The gain, the pipeline and its bottleneck before the plan, the pipeline after it, and the plan. */
export function demoReport({ diagnosis, tuned, tuning, pipeline, images, plan }: DemoResult): Report {
  const command = `npx venturi run ${shellWord(pipeline)} --param ${shellWord(`folder=${images}`)} --epochs 20 --plan ${shellWord(plan)}`;
  const [gained, ...rest] = tuningReport(tuning, command);
  const words = findingWords(diagnosis.verdict, wordContext(diagnosis, command));
  const blocks: Block[] = [];
  if (gained !== undefined) blocks.push(gained);
  blocks.push({ type: 'heading', text: 'As it was', note: 'utilisation of the threads, and throughput' });
  blocks.push({ type: 'paragraph', text: `${words.text}.` });
  blocks.push(busyGraph(diagnosis));
  if (tuned !== undefined) {
    blocks.push({ type: 'heading', text: 'As it is now' });
    blocks.push(busyGraph(tuned));
  }
  return [...blocks, ...rest];
}
