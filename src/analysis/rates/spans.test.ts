import { expect, test } from 'vitest';
import { RECORD_KIND } from '../../model/record.ts';
import type { RecordBlock } from '../../model/span.ts';
import { SpanSummary } from './spans.ts';

const block = (records: readonly (readonly [kind: number, subject: number, duration: number])[]): RecordBlock => ({
  lane: { index: 0, uuid: '', name: 'a', pid: 1, tid: 1, opened: 0 },
  count: records.length,
  kind: Uint8Array.from(records, ([kind]) => kind),
  flags: new Uint8Array(records.length),
  subject: Int32Array.from(records, ([, subject]) => subject),
  sequence: new Uint32Array(records.length),
  start: new Float64Array(records.length),
  duration: Float64Array.from(records, ([, , duration]) => duration),
});

test('counts the spans of each subject over all blocks, and nothing else', () => {
  const summary = new SpanSummary();
  const subjects = ['lane', 'operator:a'];
  const durations = Array.from({ length: 1000 }, (_, index) => (index + 1) * 1000);
  summary.block(block(durations.map(duration => [RECORD_KIND.span, 1, duration])), subjects);
  subjects.push('operator:b');
  summary.block(
    block([
      [RECORD_KIND.span, 2, 7],
      [RECORD_KIND.cpu, 2, 99],
      [RECORD_KIND.counter, 0, 99],
      [RECORD_KIND.span, -1, 5],
    ]),
    subjects,
  );
  const rows = summary.rows();
  expect(rows.map(({ subject, count, mean }) => [subject, count, mean])).toEqual([
    ['unnamed', 1, 5],
    ['operator:a', 1000, 500_500],
    ['operator:b', 1, 7],
  ]);
  const a = rows[1];
  for (const [quantile, exact] of [
    [a?.p50, 500e3],
    [a?.p90, 900e3],
    [a?.p99, 990e3],
  ] as const) {
    expect(Math.abs((quantile ?? 0) / exact - 1)).toBeLessThan(0.01);
  }
});

test('has no rows where there were no spans', () => {
  expect(new SpanSummary().rows()).toEqual([]);
});
