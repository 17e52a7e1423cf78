import { partitionPoint } from '../../math/partition-point.ts';
import type { StepTrace } from '../../model/step-trace.ts';

/** Intervals of time that neither touch nor overlap, in order: start and end of each, ns. */
export type Spans = readonly { readonly start: number; readonly end: number }[];

/** Time in which at least one of the chosen ops ran, which are in the order of the trace. */
export function spansOf({ ops }: StepTrace, chosen: readonly number[]): Spans {
  const spans: { start: number; end: number }[] = [];
  for (const op of chosen) {
    const start = ops.start[op] ?? 0;
    const end = start + (ops.duration[op] ?? 0);
    const last = spans.at(-1);
    if (last === undefined || start > last.end) {
      if (end > start) spans.push({ start, end });
    } else if (end > last.end) last.end = end;
  }
  return spans;
}

/** Time of any of them. */
export function union(all: readonly Spans[]): Spans {
  const spans: { start: number; end: number }[] = [];
  for (const { start, end } of all.flat().sort((a, b) => a.start - b.start)) {
    const last = spans.at(-1);
    if (last === undefined || start > last.end) spans.push({ start, end });
    else if (end > last.end) last.end = end;
  }
  return spans;
}

/** Time of both. */
export function overlap(one: Spans, other: Spans): Spans {
  const spans: { start: number; end: number }[] = [];
  for (let a = 0, b = 0; a < one.length && b < other.length; ) {
    const [first, second] = [one[a], other[b]];
    if (first === undefined || second === undefined) break;
    const start = Math.max(first.start, second.start);
    const end = Math.min(first.end, second.end);
    if (end > start) spans.push({ start, end });
    if (first.end < second.end) a++;
    else b++;
  }
  return spans;
}

/** Time of the first without that of the others. */
export const without = (spans: Spans, ...others: readonly Spans[]): Spans =>
  others.reduce((left, other) => overlap(left, gapsOf(other)), spans);

/** All time that is in none of the spans. */
function gapsOf(spans: Spans): Spans {
  const bounds = [
    Number.NEGATIVE_INFINITY,
    ...spans.flatMap(({ start, end }) => [start, end]),
    Number.POSITIVE_INFINITY,
  ];
  return Array.from({ length: bounds.length / 2 }, (_, at) => ({
    start: bounds[2 * at] ?? 0,
    end: bounds[2 * at + 1] ?? 0,
  }));
}

/** How much of the time from `start` to `end` is in the spans. */
export function lengthWithin(spans: Spans, start: number, end: number): number {
  let length = 0;
  for (let at = firstAfter(spans, start); at < spans.length; at++) {
    const span = spans[at];
    if (span === undefined || span.start >= end) break;
    length += Math.min(span.end, end) - Math.max(span.start, start);
  }
  return length;
}

/** Position of the first span that ends after a moment. */
const firstAfter = (spans: Spans, moment: number): number =>
  partitionPoint(spans.length, at => (spans[at]?.end ?? 0) <= moment);
