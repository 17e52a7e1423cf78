import { delayTime, preparationTime, waitTime } from '../../src/analysis/batches/batch.ts';
import type { PageBatch } from '../../src/report/page/batches.ts';

/** Times of a batch, in the order in which a table has them. */
export const TIMES = {
  preparation: preparationTime,
  wait: waitTime,
  delay: delayTime,
} as const satisfies Record<string, (batch: PageBatch) => number>;

export type Time = keyof typeof TIMES;

/** A time that was not recorded is none. */
export const timeOf = (batch: PageBatch, time: Time): number => TIMES[time](batch) || 0;

/** The longest first. */
export const longest = (batches: readonly PageBatch[], time: Time): PageBatch[] =>
  batches.toSorted((a, b) => timeOf(b, time) - timeOf(a, time));

/** Seconds of the run from the beginning of its preparation, or of the wait for it, to the end of its use. */
export function rangeOf({ prepareStart, waitStart, waitEnd, consumeEnd }: PageBatch): {
  readonly from: number;
  readonly to: number;
} {
  const begins = [prepareStart, waitStart].filter(moment => !Number.isNaN(moment));
  return { from: Math.min(...begins) / 1e9, to: (Number.isNaN(consumeEnd) ? waitEnd : consumeEnd) / 1e9 };
}

/** The longest time in each of as many columns as a drawing has; batches stand where their consumer got them. */
export function columnsOf(
  batches: readonly PageBatch[],
  time: Time,
  { from, to }: { readonly from: number; readonly to: number },
  columns: number,
): number[] {
  const highest = new Array<number>(columns).fill(0);
  for (const batch of batches) {
    const at = columnOf(batch, { from, to }, columns);
    highest[at] = Math.max(highest[at] ?? 0, timeOf(batch, time));
  }
  return highest;
}

export function columnOf(
  { waitEnd }: PageBatch,
  { from, to }: { readonly from: number; readonly to: number },
  columns: number,
): number {
  const part = to > from ? (waitEnd - from) / (to - from) : 0;
  return Math.max(0, Math.min(columns - 1, Math.floor(part * columns)));
}
