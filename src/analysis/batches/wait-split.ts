import { sumOf } from '../../math/totals.ts';
import type { Batch } from './batch.ts';

/**
 * Parts of a consumer's wait for a batch (T2), in the order in which a batch passes through them:
 * - notBegun: its preparation had not begun
 * - preparing: it was being prepared
 * - behindOthers: it was ready, and the consumer was receiving batches that had come before it
 * - transfer: it was on its way from the worker: pickled, sent, unpickled
 * - pinning: it was being copied into pinned memory
 * - queued: it was pinned and lay in the queue
 * - rest: everything between its arrival and the return to the consumer
 * - forCore: part of the five before, from its preparation on, in which the consumer's own thread queued for a core. No loader can
 *   spare it: it is the consumer's own time, as it is in its step
 */
export const WAIT_PARTS = [
  'notBegun',
  'preparing',
  'behindOthers',
  'transfer',
  'pinning',
  'queued',
  'rest',
  'forCore',
] as const;
export type WaitPart = (typeof WAIT_PARTS)[number];
export type WaitSplit = Record<WaitPart, number>;

/** Parts in which the batch is prepared and on its way. */
export const HANDING_OVER = ['behindOthers', 'transfer', 'pinning', 'queued'] as const satisfies readonly WaitPart[];

/** Part by part, the sum of several; of none, no wait at all. */
export const addedWaits = (splits: readonly WaitSplit[]): WaitSplit =>
  Object.fromEntries(WAIT_PARTS.map(part => [part, sumOf(splits, split => split[part])])) as WaitSplit;

/** `before`: the arrival before this batch's own, of whichever batch; NaN where there is none. */
export function splitWait(batch: Batch, before: number): WaitSplit {
  const split = addedWaits([]);
  let at = batch.waitStart;
  const until = (moment: number, part: WaitPart): void => {
    // NaN never lies ahead: what was not recorded takes nothing.
    if (!(moment > at)) return;
    const end = Math.min(moment, batch.waitEnd);
    split[part] += end - at;
    at = end;
  };
  until(batch.prepareStart, 'notBegun');
  until(batch.prepareEnd, 'preparing');
  const isPinned = !Number.isNaN(batch.pinStart);
  const received = isPinned ? batch.pinStart : batch.arrived;
  if (before < received) until(before, 'behindOthers');
  until(received, 'transfer');
  if (isPinned) {
    until(batch.pinEnd, 'pinning');
    until(batch.arrived, 'queued');
  }
  until(batch.waitEnd, 'rest');
  const prepared = [...HANDING_OVER, 'rest'] as const;
  const ready = sumOf(prepared, part => split[part]);
  const forCore = Math.min(batch.waitQueued || 0, ready);
  if (forCore > 0) {
    // When it queued is not known, how long it did is.
    for (const part of prepared) split[part] *= 1 - forCore / ready;
    split.forCore = forCore;
  }
  return split;
}
