import { type Ns, ns, type Share, share } from '../../model/units.ts';

/**
 * What limits a loader and its consumer together:
 * - preparation: the consumer waits for batches that are not ready
 * - order: batches are ready, but the one that is next in order is not
 * - transfer: the consumer waits for batches that are ready: sending, receiving or pinning them takes too long
 * - start: the consumer waits longest for the first batch of each pass
 * - consumer: batches wait for the consumer, or it works far longer than it waits and nothing ahead of it is used up
 * - balanced: neither waits much
 * - unclear: too little was recorded
 */
export type Bound = 'preparation' | 'order' | 'transfer' | 'start' | 'consumer' | 'balanced' | 'unclear';

/** What the judgement rests on. Times without the first batch of a pass, which also waits for workers to start. */
export interface BoundEvidence {
  readonly batches: number;
  readonly workers: number;
  /** The consumer's wait and its own work, all batches together; queueing for a core while a batch lies ready is its own. */
  readonly wait: Ns;
  readonly consume: Ns;
  /** Parts of the wait: for a batch that was not ready, and for one that was. */
  readonly waitUnprepared: Ns;
  readonly waitPrepared: Ns;
  /** Part of the wait during which a later batch was already there. */
  readonly waitInOrder: Ns;
  /** The wait for the first batches of passes, as far as passes show that it comes again, and what of it is not their preparation. */
  readonly firstWait: Ns;
  readonly start: Ns;
  /** Part of the workers' time that they had no task, in all passes. */
  readonly idleShare: Share;
  readonly preparationPerBatch: Ns;
  readonly consumePerBatch: Ns;
  /** Part of the preparation that its thread queued for a core. */
  readonly coreWaitPerBatch: Ns;
  readonly coresUsable: number;
  /** Steps timed on a device, how long it stood still for their batches, and how long they took it, all together. */
  readonly deviceSteps: number;
  readonly deviceWait: Ns;
  readonly deviceStep: Ns;
}

export interface BoundVerdict {
  readonly bound: Bound;
  /** Part of the consumer's time that it waits; on a device, that the device stands still meanwhile. */
  readonly waitShare: Share;
  /** The most that could be gained: part of the time of all passes that the consumer waits, first batches included. */
  readonly atStake: Share;
  /** Workers whose preparation would keep up with the consumer, were cores enough; undefined where it is not waited for. */
  readonly workersWanted: number | undefined;
  /** Time of one batch if the wait were gone: the consumer's own. */
  readonly consumePerBatch: Ns;
}

/** Fewer batches than this say nothing about a steady state. */
const FEWEST = 5;
/** Below the first the consumer hardly waits, above the second waiting is worth a word; in between nothing is sure. */
export const HARDLY = 0.05;
const CLEARLY = 0.1;
/** More than this of the wait makes its reason the verdict. */
const MOSTLY = 0.5;
/** Workers that are idle for longer than this could have prepared more. */
const IDLE = 0.15;

/** Lotus §III: long waits with short delays mean preparation, long delays with no waits the consumer, both together order or transfer. */
export function boundBy(evidence: BoundEvidence): BoundVerdict {
  const { batches, wait, consume, firstWait, start } = evidence;
  const waitShare = waitShareOf(evidence);
  const lost = lostTime(evidence);
  const whole = wait + consume + firstWait;
  const cause = waitedFor(evidence);
  const bound = ((): Bound => {
    if (batches < FEWEST) return 'unclear';
    if (start > lost - start && start > CLEARLY * whole) return 'start';
    if (waitShare < HARDLY) return 'consumer';
    if (waitShare < CLEARLY) return 'balanced';
    return cause === 'preparation' && waitShare <= MOSTLY && !isUsedUp(evidence) ? 'consumer' : cause;
  })();
  const isPreparationWaitedFor = batches >= FEWEST && waitShare >= CLEARLY && cause === 'preparation';
  return {
    bound,
    waitShare,
    atStake: share(whole > 0 ? lost / whole : 0),
    workersWanted: isPreparationWaitedFor && bound !== 'start' ? workersWanted(evidence) : undefined,
    consumePerBatch: ns(evidence.consumePerBatch),
  };
}

/** What the consumer mostly waits for. */
function waitedFor({
  wait,
  waitPrepared,
  waitInOrder,
  idleShare,
}: BoundEvidence): 'transfer' | 'order' | 'preparation' {
  const part = (time: number): number => (wait > 0 ? time / wait : 0);
  if (part(waitPrepared) > MOSTLY) return 'transfer';
  // Busy workers are too few whatever the order; those that order holds up have nothing to do.
  return part(waitInOrder) > MOSTLY && idleShare > IDLE ? 'order' : 'preparation';
}

/**
 * Whether workers are busy most of the time, so that a faster step would wait for them the longer. Without workers preparation and step
 * take turns, and the longer of them is the limit.
 */
const isUsedUp = ({ workers, idleShare }: BoundEvidence): boolean => workers > 0 && idleShare < MOSTLY;

/** A host that waits while its device still works costs nothing: where the device was asked, its word counts. */
function waitShareOf({ wait, consume, deviceSteps, deviceWait, deviceStep }: BoundEvidence): Share {
  const [still, busy] = deviceSteps < FEWEST ? [wait, consume] : [deviceWait, deviceStep];
  return share(still + busy > 0 ? still / (still + busy) : 0);
}

/** What would be gained if the consumer never waited. */
export const lostTime = (evidence: BoundEvidence): Ns =>
  ns(waitShareOf(evidence) * (evidence.wait + evidence.consume) + evidence.firstWait);

/** One worker gives a batch every T1; the consumer takes one every step. Never fewer than there are: they do not suffice. */
function workersWanted({ preparationPerBatch, consumePerBatch, workers }: BoundEvidence): number | undefined {
  if (!(preparationPerBatch > 0 && consumePerBatch > 0)) return undefined;
  return Math.max(workers + 1, Math.ceil(preparationPerBatch / consumePerBatch));
}
