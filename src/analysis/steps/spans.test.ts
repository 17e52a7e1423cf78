import fc from 'fast-check';
import { expect, it } from 'vitest';
import { StepTraceBuilder } from '../../model/step-trace-builder.ts';
import { lengthWithin, overlap, type Spans, spansOf, without } from './spans.ts';

const ops = fc.array(fc.tuple(fc.nat(60), fc.nat(20)), { maxLength: 12 });

function spansFrom(intervals: readonly (readonly [number, number])[]): Spans {
  const builder = new StepTraceBuilder();
  const resource = builder.resource({ name: 'x', kind: 'device' });
  for (const [start, duration] of intervals) builder.op({ name: 'op', work: 'compute', resource, start, duration });
  return spansOf(builder.build('test', '0'), [...intervals.keys()]);
}

const lengthOf = (spans: Spans): number => lengthWithin(spans, 0, 100);

/** The whole moments in which one of the intervals lies. */
const moments = (intervals: readonly (readonly [number, number])[]): Set<number> =>
  new Set(intervals.flatMap(([start, duration]) => Array.from({ length: duration }, (_, at) => start + at)));

it('counts every moment once', () => {
  fc.assert(
    fc.property(ops, ops, (one, other) => {
      const [first, second] = [spansFrom(one), spansFrom(other)];
      const [a, b] = [moments(one), moments(other)];
      expect(lengthOf(first)).toBe(a.size);
      expect(lengthOf(overlap(first, second))).toBe([...a].filter(moment => b.has(moment)).length);
      expect(lengthOf(without(first, second))).toBe([...a].filter(moment => !b.has(moment)).length);
    }),
  );
});

it('counts the moments of a window', () => {
  fc.assert(
    fc.property(ops, fc.nat(60), fc.nat(30), (intervals, start, length) => {
      const inside = [...moments(intervals)].filter(moment => moment >= start && moment < start + length);
      expect(lengthWithin(spansFrom(intervals), start, start + length)).toBe(inside.length);
    }),
  );
});
