import { setImmediate } from 'node:timers/promises';
import type { RecordBlock, RecordSource } from '../model/span.ts';

/** Gathers facts from the records of a run, block by block. */
export interface Fold {
  block(block: RecordBlock, subjects: readonly string[]): void;
}

/** About 20 ms of work between two looks at the event loop. */
const BLOCKS_BETWEEN_PAUSES = 64;

/** Feeds several folds in one go; pauses now and then, so that Ctrl-C and a live page stay responsive. */
export async function foldRecords(source: RecordSource, folds: readonly Fold[]): Promise<void> {
  let untilPause = BLOCKS_BETWEEN_PAUSES;
  for await (const block of source.blocks()) {
    for (const fold of folds) fold.block(block, source.subjects);
    if (--untilPause === 0) {
      untilPause = BLOCKS_BETWEEN_PAUSES;
      await setImmediate();
    }
  }
}
