import { expect, test } from 'vitest';
import { BatchFold } from '../../analysis/batches/fold.ts';
import { summariseBatches } from '../../analysis/batches/summary.ts';
import { SpanSummary } from '../../analysis/rates/spans.ts';
import { sumOf } from '../../math/totals.ts';
import { foldRecords } from '../../store/fold.ts';
import { openRun } from '../../store/run-reader.ts';
import { loaderTimes, pipelineTimes, type TimesData } from './times.ts';

const golden = (name: string) =>
  openRun(new URL(`../../../test/golden/recordings/${name}.venturi`, import.meta.url).pathname);

function expectWhole({ groups }: TimesData): void {
  for (const { timed, ranges, p50 } of groups.flatMap(({ rows }) => rows)) {
    expect(sumOf(ranges, ({ count }) => count)).toBe(timed);
    expect((ranges[0]?.low ?? Number.NaN) <= p50 && p50 <= (ranges.at(-1)?.high ?? Number.NaN)).toBe(true);
  }
}

test('operators of a loader have the times of its summary, and all of them in their ranges', async () => {
  const fold = new BatchFold();
  await foldRecords(golden('program-workers').records(), [fold]);
  const facts = fold.result();
  const data = loaderTimes(facts);
  expectWhole(data);
  for (const { name, operators } of summariseBatches(facts, 2).loaders) {
    const rows = data.groups.find(group => group.name === name)?.rows ?? [];
    expect(rows).toHaveLength(operators.length);
    for (const { operator, timed, mean, p99 } of operators) {
      expect(rows.find(({ label }) => label === operator)).toMatchObject({ timed, mean, p99 });
    }
  }
});

test('spans of a pipeline go by the names of its graph', async () => {
  const run = golden('pipeline-profiled');
  const { graph } = run.manifest;
  if (graph === undefined) throw new Error('no graph');
  const spans = new SpanSummary();
  await foldRecords(run.records(), [spans]);
  const data = pipelineTimes(spans.histograms(), graph);
  expectWhole(data);
  const ids = new Set(graph.operators.map(({ id }) => id));
  const rows = data.groups.flatMap(group => group.rows);
  expect(rows.length).toBeGreaterThan(0);
  for (const { operators } of rows) for (const id of operators) expect(ids).toContain(id);
});
