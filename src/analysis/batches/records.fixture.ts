import { METRICS, type Metric } from '../../model/metric.ts';
import { RECORD_KIND } from '../../model/record.ts';
import type { RecordBlock } from '../../model/span.ts';
import { BatchFold } from './fold.ts';

interface Row {
  readonly kind: number;
  readonly key: string;
  readonly sequence: number;
  readonly start: number;
  readonly duration: number;
  readonly flags?: number;
}

export const span = (key: string, sequence: number, start: number, end: number): Row => ({
  kind: RECORD_KIND.span,
  key,
  sequence,
  start,
  duration: end - start,
});
export const inner = (key: string, start: number, end: number): Row => ({
  ...span(key, 0, start, end),
  kind: RECORD_KIND.inner,
});
export const cpu = (ns: number, delay: number): Row => ({
  kind: RECORD_KIND.cpu,
  key: 'prepare',
  sequence: 0,
  start: ns,
  duration: delay,
});
export const elementsOf = (count: number): Row => ({
  kind: RECORD_KIND.elements,
  key: 'prepare',
  sequence: 0,
  start: count,
  duration: 1,
});

export const counter = (metric: Metric, at: number, value: number): Row => ({
  kind: RECORD_KIND.counter,
  key: 'process',
  sequence: 0,
  start: at,
  duration: value,
  flags: METRICS[metric].code,
});

/** An order: batch `number` goes to process `pid` as its task `task`, in pass `pass`. */
export const order = (loader: string, number: number, at: number, pid: number, task: number, pass = 0): Row[] => [
  span(`dispatch:${loader}`, number, at, at),
  { kind: RECORD_KIND.task, key: `dispatch:${loader}`, sequence: number, start: task + pass * 2 ** 32, duration: pid },
];

export interface LaneRows {
  readonly pid: number;
  readonly opened?: number;
  readonly rows: readonly Row[];
}

/** Feeds lanes to a new fold, each divided into blocks of `size` rows. */
export const fold = (lanes: readonly LaneRows[], size = 1000): BatchFold => feed(new BatchFold(), lanes, size);

export function feed<F extends Pick<BatchFold, 'block'>>(result: F, lanes: readonly LaneRows[], size = 1000): F {
  const subjects: string[] = [];
  const numberOf = (key: string): number => {
    if (!subjects.includes(key)) subjects.push(key);
    return subjects.indexOf(key);
  };
  for (const [index, { pid, opened = 0, rows }] of lanes.entries()) {
    for (let from = 0; from < rows.length; from += size) {
      const part = rows.slice(from, from + size);
      const block: RecordBlock = {
        lane: { index, uuid: String(index), name: `lane ${index}`, pid, tid: pid, opened },
        count: part.length,
        kind: Uint8Array.from(part, row => row.kind),
        flags: Uint8Array.from(part, row => row.flags ?? 0),
        subject: Int32Array.from(part, row => numberOf(row.key)),
        sequence: Uint32Array.from(part, row => row.sequence),
        start: Float64Array.from(part, row => row.start),
        duration: Float64Array.from(part, row => row.duration),
      };
      result.block(block, subjects);
    }
  }
  return result;
}
