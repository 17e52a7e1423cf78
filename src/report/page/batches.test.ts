import { expect, test } from 'vitest';
import { delayTime, waitTime } from '../../analysis/batches/batch.ts';
import { BatchFold } from '../../analysis/batches/fold.ts';
import { summariseBatches } from '../../analysis/batches/summary.ts';
import { PyramidFold } from '../../analysis/pyramid/pyramid.ts';
import { sumOf } from '../../math/totals.ts';
import { foldRecords } from '../../store/fold.ts';
import { openRun } from '../../store/run-reader.ts';
import { batchArrows } from './batch-arrows.ts';
import { batchesOf } from './batches.ts';

const run = openRun(new URL('../../../test/golden/recordings/program-workers.venturi', import.meta.url).pathname);
const batchFold = new BatchFold();
const pyramidFold = new PyramidFold();
await foldRecords(run.records(), [batchFold, pyramidFold]);
const facts = batchFold.result();
const summary = summariseBatches(facts, 2);
const pyramid = pyramidFold.result();
const data = batchesOf(facts, summary);

test('batches of a page are those of the summary, and add up to its times', () => {
  expect(data.loaders.length).toBeGreaterThan(0);
  for (const { name, batches, consumed, outOfOrder } of data.loaders) {
    const loader = summary.loaders.find(each => each.name === name);
    expect(consumed).toBe(loader?.batches);
    expect(batches).toHaveLength(consumed);
    expect(batches.filter(({ isOutOfOrder }) => isOutOfOrder)).toHaveLength(outOfOrder);
    expect(sumOf(batches, waitTime)).toBeCloseTo(loader?.wait.total ?? Number.NaN, 0);
    expect(Math.max(...batches.map(delayTime))).toBe(loader?.delay.most);
  }
});

test('of very many batches the longest waits are kept, in their order', () => {
  const [few] = batchesOf(facts, summary, 3).loaders;
  const [all] = data.loaders;
  expect(few?.consumed).toBe(all?.consumed);
  const longest = all?.batches
    .map(waitTime)
    .sort((a, b) => b - a)
    .slice(0, 3);
  expect(few?.batches.map(waitTime).sort((a, b) => b - a)).toEqual(longest);
  expect(few?.batches.map(({ waitStart }) => waitStart)).toEqual(
    few?.batches.map(({ waitStart }) => waitStart).sort((a, b) => a - b),
  );
});

test('an arrow goes from the lane that prepared a batch to the one that waited for it', () => {
  const arrows = batchArrows(pyramid, data);
  const prepared = data.loaders.flatMap(({ batches }) =>
    batches.filter(({ prepareEnd, preparer, consumer }) => !Number.isNaN(prepareEnd) && preparer !== consumer),
  );
  expect(prepared.length).toBeGreaterThan(0);
  expect(arrows).toHaveLength(prepared.length);
  for (const [at, { batch, fromLane, fromNs, toLane, toNs }] of arrows.entries()) {
    const its = prepared[at];
    expect([batch, fromNs, toNs]).toEqual([its?.number, its?.prepareEnd, its?.waitEnd]);
    expect(pyramid.lanes[fromLane]?.lane.pid).toBe(its?.preparer);
    expect(pyramid.lanes[toLane]?.lane.pid).toBe(its?.consumer);
  }
});
