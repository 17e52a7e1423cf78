import { sumOf } from '../../math/totals.ts';
import { type Ns, ns, type Share, share } from '../../model/units.ts';
import { type Batch, consumeTime, waitTime } from './batch.ts';
import type { BatchFacts } from './fold.ts';
import { type BoundEvidence, type BoundVerdict, boundBy, meansPerBatch } from './verdict.ts';
import { addedWaits, HANDING_OVER, splitWait, type WaitPart, type WaitSplit } from './wait-split.ts';

/** One pass over a loader: an epoch, or as much of it as the consumer took. */
export interface PassSummary {
  readonly consumer: number;
  readonly pass: number;
  readonly start: Ns;
  readonly end: Ns;
  readonly batches: number;
  readonly firstWait: Ns;
  readonly outOfOrder: number;
  readonly waitSplit: WaitSplit;
  readonly evidence: BoundEvidence;
  readonly verdict: BoundVerdict;
  /** The share of waiting over time, in windows of equal length. */
  readonly windows: readonly PassWindow[];
}

export interface PassWindow {
  readonly start: Ns;
  readonly end: Ns;
  readonly batches: number;
  readonly waitShare: Share;
}

/** Evidence that is the same in all passes over a loader. */
export type SharedEvidence = Pick<BoundEvidence, 'workers' | 'coresUsable' | 'idleShare'>;

const WINDOWS = 12;
/** Fewer batches than this to a window would show noise. */
const BATCHES_PER_WINDOW = 4;

/** `batches` in the order in which the consumer asked for them; at least one. */
export function summarisePass(batches: readonly Batch[], facts: BatchFacts, shared: SharedEvidence): PassSummary {
  const { consumer = 0, pass = 0, waitStart = 0 } = batches[0] ?? {};
  const last = batches.at(-1);
  const whole = facts.passes.find(span => span.consumer === consumer && span.pass === pass);
  const end = Math.max(whole?.end ?? 0, last === undefined ? 0 : Math.max(last.waitEnd, last.consumeEnd || 0));
  const splits = waitSplits(batches);
  const steady = batches.slice(1);
  const sum = (of: (batch: Batch, at: number) => number): number => sumOf(steady.map(of), value => value || 0);
  const steadySplit = (...parts: readonly WaitPart[]): Ns =>
    ns(sumOf(splits.slice(1), split => sumOf(parts, part => split[part])));
  const forCore = steadySplit('forCore');
  const evidence: BoundEvidence = {
    ...shared,
    batches: steady.length,
    wait: ns(sum(waitTime) - forCore),
    consume: ns(sum(consumeTime) + forCore),
    waitUnprepared: steadySplit('notBegun', 'preparing'),
    waitPrepared: steadySplit(...HANDING_OVER),
    waitInOrder: ns(
      sum((batch, at) => Math.max(0, waitWhileOthersReady(batch, batches, at + 1) - (splits[at + 1]?.forCore ?? 0))),
    ),
    // Whether it recurs, only several passes tell.
    firstWait: ns(0),
    start: ns(0),
    ...meansPerBatch(batches),
    deviceSteps: steady.filter(batch => !Number.isNaN(batch.deviceStep)).length,
    deviceWait: ns(sum(batch => batch.deviceWait)),
    deviceStep: ns(sum(batch => batch.deviceStep)),
  };
  return {
    consumer,
    pass,
    start: ns(waitStart),
    end: ns(end),
    batches: batches.length,
    firstWait: ns(batches[0] === undefined ? 0 : waitTime(batches[0])),
    outOfOrder: outOfOrderIn(batches).length,
    waitSplit: addedWaits(splits),
    evidence,
    verdict: boundBy(evidence),
    windows: windowsOf(batches, waitStart, end),
  };
}

const received = (batch: Batch): number => (Number.isNaN(batch.pinStart) ? batch.arrived : batch.pinStart);

const inOrderOfArrival = (batches: readonly Batch[]): Batch[] =>
  batches.filter(batch => !Number.isNaN(received(batch))).sort((a, b) => received(a) - received(b));

/** Each batch's wait divided. */
function waitSplits(batches: readonly Batch[]): WaitSplit[] {
  const inTime = inOrderOfArrival(batches);
  const before = new Map(inTime.map((batch, at) => [batch, at === 0 ? Number.NaN : received(inTime[at - 1] ?? batch)]));
  return batches.map(batch => splitWait(batch, before.get(batch) ?? Number.NaN));
}

/** Batches of a pass that arrived before one that was ordered earlier. */
export function outOfOrderIn(batches: readonly Batch[]): Batch[] {
  let earliest = Number.POSITIVE_INFINITY;
  return inOrderOfArrival(batches)
    .reverse()
    .filter(({ number }) => {
      const isBefore = number > earliest;
      earliest = Math.min(earliest, number);
      return isBefore;
    });
}

/** How far ahead a batch can arrive: what all workers together may hold. */
const LOOK_AHEAD = 256;

/** The part of a batch's wait during which a batch that is consumed later was already there. */
function waitWhileOthersReady(batch: Batch, batches: readonly Batch[], at: number): number {
  let ready = Number.POSITIVE_INFINITY;
  const last = Math.min(batches.length, at + LOOK_AHEAD);
  for (let later = at + 1; later < last; later++) {
    const arrived = batches[later]?.arrived ?? Number.NaN;
    if (arrived < ready) ready = arrived;
  }
  return Math.max(0, batch.waitEnd - Math.max(batch.waitStart, ready));
}

function windowsOf(batches: readonly Batch[], start: number, end: number): PassWindow[] {
  const count = Math.min(WINDOWS, Math.floor(batches.length / BATCHES_PER_WINDOW));
  if (count < 2 || !(end > start)) return [];
  const length = (end - start) / count;
  return Array.from({ length: count }, (_, index) => {
    const from = start + index * length;
    const to = from + length;
    const overlap = (a: number, b: number): number => Math.max(0, Math.min(b, to) - Math.max(a, from)) || 0;
    const wait = sumOf(batches, batch => overlap(batch.waitStart, batch.waitEnd));
    return {
      start: ns(from),
      end: ns(to),
      batches: batches.filter(batch => batch.waitEnd >= from && batch.waitEnd < to).length,
      waitShare: share(wait / length),
    };
  });
}
