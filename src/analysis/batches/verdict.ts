import { ratio } from '../../math/ratio.ts';
import { type Ns, ns, type Share, share } from '../../model/units.ts';
import { type Batch, meanStep, preparationTime } from './batch.ts';
import { distribution } from './distribution.ts';

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

/** Evidence of the verdict. Times exclude the first batch of a pass, which also waits for workers to start. */
export interface BoundEvidence {
  readonly batches: number;
  readonly workers: number;
  /** The consumer's wait and its own work, summed over batches; queueing for a core while a batch is ready counts as work. */
  readonly wait: Ns;
  readonly consume: Ns;
  /** Parts of the wait: for a batch that was not ready, and for one that was. */
  readonly waitUnprepared: Ns;
  readonly waitPrepared: Ns;
  /** Part of the wait during which a later batch was already there. */
  readonly waitInOrder: Ns;
  /** Wait for the first batches of passes, as far as it recurs, and the same without their preparation. */
  readonly firstWait: Ns;
  readonly start: Ns;
  /** Share of the workers' time without a task, in all passes. */
  readonly idleShare: Share;
  readonly preparationPerBatch: Ns;
  readonly consumePerBatch: Ns;
  /** Time of the preparation that its thread queued for a core. */
  readonly coreWaitPerBatch: Ns;
  readonly coresUsable: number;
  /** Number of steps timed on a device, its idle time before them, and their duration on it, summed. */
  readonly deviceSteps: number;
  readonly deviceWait: Ns;
  readonly deviceStep: Ns;
}

export interface BoundVerdict {
  readonly bound: Bound;
  /** Share of the consumer's time that it waits; on a device, that the device is idle meanwhile. */
  readonly waitShare: Share;
  /** Upper bound of the gain: share of the time of all passes that the consumer waits, first batches included. */
  readonly atStake: Share;
  /** Number of workers that would keep up with the consumer, given enough cores; undefined where preparation is not waited for. */
  readonly workersWanted: number | undefined;
  /** Time per batch without the wait: the consumer's own. */
  readonly consumePerBatch: Ns;
}

/** Means over batches, of one pass or of several. */
export const meansPerBatch = (
  batches: readonly Batch[],
): Pick<BoundEvidence, 'preparationPerBatch' | 'consumePerBatch' | 'coreWaitPerBatch'> => ({
  preparationPerBatch: distribution(batches.map(preparationTime)).mean,
  consumePerBatch: ns(meanStep(batches)),
  coreWaitPerBatch: distribution(batches.map(batch => batch.runDelay)).mean,
});

/** Least number of batches for a verdict on the steady state. */
const FEWEST = 5;
/** Shares of waiting: below the first the consumer hardly waits, above the second it clearly does. */
export const HARDLY = 0.05;
const CLEARLY = 0.1;
/** Share of the wait above which its reason is the verdict. */
const MOSTLY = 0.5;
/** Share of idle time above which workers could have prepared more. */
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
    atStake: share(ratio(lost, whole)),
    workersWanted: isPreparationWaitedFor && bound !== 'start' ? workersWanted(evidence) : undefined,
    consumePerBatch: ns(evidence.consumePerBatch),
  };
}

/** The main reason of the consumer's wait. */
function waitedFor(evidence: BoundEvidence): 'transfer' | 'order' | 'preparation' {
  const { wait, waitPrepared, waitInOrder, idleShare } = evidence;
  if (ratio(waitPrepared, wait) > MOSTLY) return 'transfer';
  // Busy workers are too few whatever the order; workers that are held up by order are idle.
  return ratio(waitInOrder, wait) > MOSTLY && idleShare > IDLE ? 'order' : 'preparation';
}

/**
 * Workers are busy most of the time: a faster step would wait for them longer. Without workers preparation and step
 * alternate, and the longer of them is the limit.
 */
const isUsedUp = ({ workers, idleShare }: BoundEvidence): boolean => workers > 0 && idleShare < MOSTLY;

/** Share of waiting, by the device where one was timed: a host that waits while its device still works costs nothing. */
function waitShareOf({ wait, consume, deviceSteps, deviceWait, deviceStep }: BoundEvidence): Share {
  const [still, busy] = deviceSteps < FEWEST ? [wait, consume] : [deviceWait, deviceStep];
  return share(ratio(still, still + busy));
}

/** Time gained if the consumer never waited. */
export const lostTime = (evidence: BoundEvidence): Ns =>
  ns(waitShareOf(evidence) * (evidence.wait + evidence.consume) + evidence.firstWait);

/** One worker gives a batch every T1; the consumer takes one every step. Never fewer than there are: they do not suffice. */
function workersWanted({ preparationPerBatch, consumePerBatch, workers }: BoundEvidence): number | undefined {
  if (!(preparationPerBatch > 0 && consumePerBatch > 0)) return undefined;
  return Math.max(workers + 1, Math.ceil(preparationPerBatch / consumePerBatch));
}
