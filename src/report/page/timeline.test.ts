import { deflateRawSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { PyramidFold } from '../../analysis/pyramid/pyramid.ts';
import { foldRecords } from '../../store/fold.ts';
import { openRun } from '../../store/run-reader.ts';
import { packTiles } from './pack-tiles.ts';
import { timelineOf } from './timeline.ts';

const run = openRun(new URL('../../../test/golden/recordings/pipeline-profiled.venturi', import.meta.url).pathname);
const fold = new PyramidFold();
await foldRecords(run.records(), [fold]);
const pyramid = fold.result();

test('lanes and subjects of a recorded run go by the names of its graph', () => {
  const { lanes, subjects, spans } = timelineOf(pyramid, run.manifest.graph, 0);
  expect(lanes.length).toBeGreaterThan(0);
  expect(spans).toBe(lanes.flatMap(({ series }) => series).reduce((sum, series) => sum + series.spans, 0));
  const operators = new Set(run.manifest.graph?.operators.map(({ id }) => id));
  const shown = subjects.filter(({ key }) => /^(stage|operator):(?!consumer$)/.test(key));
  expect(shown.length).toBeGreaterThan(0);
  for (const { key, operators: its } of shown) {
    expect(its.length, key).toBeGreaterThan(0);
    for (const id of its) expect(operators, key).toContain(id);
  }
});

test('what does not fit into a file is left out by whole levels, the finest first', () => {
  const pack = (bytes: Uint8Array): string => deflateRawSync(bytes).toString('base64');
  const whole = packTiles(pyramid, pack, Number.POSITIVE_INFINITY);
  expect(whole.finest).toBe(0);
  const less = packTiles(pyramid, pack, whole.characters - 1);
  expect(less.finest).toBe(1);
  expect(Object.keys(less.tiles).every(address => address.split('/')[1] !== '0')).toBe(true);
  expect(packTiles(pyramid, pack, 0).finest).toBe(pyramid.coarsest);
});
