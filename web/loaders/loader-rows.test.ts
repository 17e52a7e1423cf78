import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { ProgramDiagnosis } from '../../src/report/results/program-diagnosis.ts';
import { loaderRows, timeOf } from './loader-rows.ts';

const loadersOf = (name: string) => {
  const file = new URL(`../../test/golden/outputs/diagnose-${name}.json`, import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as ProgramDiagnosis).loaders.map(({ summary }) => summary);
};

test('loaders stand side by side, with the figures of the diagnosis', () => {
  const loaders = loadersOf('program-workers');
  const rows = loaderRows(loaders);
  expect(rows.map(({ label }) => label)).toEqual(loaders.map(({ name }) => name));
  for (const [at, row] of rows.entries()) {
    expect(row.waitShare).toBe(loaders[at]?.verdict.waitShare);
    expect(row.elementsPerSecond).toBe(loaders[at]?.elementsPerSecond);
  }
});

test('ranks of a training stand below their loader, and one of them holds the others up', () => {
  const [loader] = loadersOf('program-ranks');
  const [whole, ...ranks] = loaderRows(loader === undefined ? [] : [loader]);
  expect(whole?.isRank).toBe(false);
  expect(ranks.map(({ label }) => label)).toEqual(['rank 0', 'rank 1']);
  expect(ranks.reduce((sum, { batches }) => sum + batches, 0)).toBe(whole?.batches);
  expect(ranks.filter(({ isHoldingUp }) => isHoldingUp)).toHaveLength(1);
});

test('windows lie inside the time of all passes', () => {
  const loaders = loadersOf('program-workers');
  const { from, to } = timeOf(loaders);
  for (const { windows } of loaderRows(loaders)) {
    for (const { start, end } of windows) expect(start >= from && end <= to + 1).toBe(true);
  }
});
