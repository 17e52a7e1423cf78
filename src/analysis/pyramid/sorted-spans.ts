import { GrowingColumn } from '../../model/growing-column.ts';

/** Spans in columns; sorted by start, longer ones first among equals, once `sortedSpans` gave them. */
export interface SpanColumns {
  readonly start: Float64Array;
  readonly duration: Float64Array;
  readonly subject: Uint32Array;
}

/** More ascending runs than this are sorted by comparison instead. */
const MOST_RUNS = 16;

/** The same spans in another order. Loops and no callbacks: there may be ten million of them. */
export function reordered(spans: SpanColumns, order: Uint32Array): SpanColumns {
  const start = new Float64Array(order.length);
  const duration = new Float64Array(order.length);
  const subject = new Uint32Array(order.length);
  for (let to = 0; to < order.length; to++) {
    const from = order[to] ?? 0;
    start[to] = spans.start[from] ?? 0;
    duration[to] = spans.duration[from] ?? 0;
    subject[to] = spans.subject[from] ?? 0;
  }
  return { start, duration, subject };
}

/**
 * Spans sorted by start. A lane writes them as they end, so those of one depth ascend already: they are dealt into ascending runs,
 * of which there are as many as depths, and the runs are merged.
 */
export function sortedSpans(spans: SpanColumns): SpanColumns {
  const { length } = spans.start;
  const runs: GrowingColumn<Uint32Array>[] = [];
  const tails = new Uint32Array(MOST_RUNS);
  for (let at = 0; at < length; at++) {
    let run = 0;
    while (run < runs.length && !isBefore(spans, tails[run] ?? 0, at)) run++;
    if (run === MOST_RUNS) return reordered(spans, byComparison(spans));
    if (run === runs.length) runs.push(new GrowingColumn(Uint32Array));
    runs[run]?.push(at);
    tails[run] = at;
  }
  if (runs.length < 2) return spans;
  const views = runs.map(run => run.view());
  return reordered(
    spans,
    views.slice(1).reduce((sofar, run) => merged(spans, sofar, run), views[0] ?? new Uint32Array()),
  );
}

function isBefore({ start, duration }: SpanColumns, a: number, b: number): boolean {
  const one = start[a] ?? 0;
  const other = start[b] ?? 0;
  return one < other || (one === other && (duration[a] ?? 0) >= (duration[b] ?? 0));
}

function byComparison({ start, duration }: SpanColumns): Uint32Array {
  const order = Uint32Array.from(start, (_, at) => at);
  return order.sort((a, b) => (start[a] ?? 0) - (start[b] ?? 0) || (duration[b] ?? 0) - (duration[a] ?? 0) || a - b);
}

function merged(spans: SpanColumns, one: Uint32Array, other: Uint32Array): Uint32Array {
  const order = new Uint32Array(one.length + other.length);
  let [ofOne, ofOther] = [0, 0];
  for (let to = 0; to < order.length; to++) {
    const isOne =
      ofOther === other.length || (ofOne < one.length && isBefore(spans, one[ofOne] ?? 0, other[ofOther] ?? 0));
    order[to] = (isOne ? one[ofOne++] : other[ofOther++]) ?? 0;
  }
  return order;
}
