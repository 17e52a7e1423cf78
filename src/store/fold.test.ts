import { expect, test } from 'vitest';
import { RECORD_KIND } from '../model/record.ts';
import type { RecordBlock } from '../model/span.ts';
import { foldRecords } from './fold.ts';
import { openLane } from './lane-writer.ts';
import { newRun, START } from './run.fixture.ts';
import { openRun } from './run-reader.ts';

class Sum {
  total = 0;
  subjects: readonly string[] = [];
  block(block: RecordBlock, subjects: readonly string[]): void {
    this.subjects = subjects;
    for (let index = 0; index < block.count; index++) {
      if (block.kind[index] === RECORD_KIND.span) this.total += block.duration[index] ?? 0;
    }
  }
}

test('several folds see every record of every lane in one pass', async () => {
  const run = newRun();
  for (const name of ['a', 'b']) {
    const lane = openLane(run.folder, { name, pid: 1, tid: 1 });
    const number = lane.subjectNumber(`operator:${name}`);
    for (let index = 0; index < 50_000; index++) lane.span(number, index, START, index);
    lane.close(START);
  }
  const folds = [new Sum(), new Sum()];
  await foldRecords(openRun(run.folder).records(), folds);
  const total = 50_000 * 49_999;
  expect(folds.map(fold => fold.total)).toEqual([total, total]);
  expect(folds[0]?.subjects).toEqual(['lane', 'operator:a', 'operator:b']);
});
