import type { LoaderSummary } from '../analysis/batches/summary.ts';
import type { Interval } from '../math/statistics.ts';
import { type ElementsPerSecond, elementsPerSecond, type Ns, type Share, share } from '../model/units.ts';
import type { LoaderProfile } from '../prediction/loader/profile.ts';
import type { LoaderChoice } from '../tuning/loader/choose.ts';
import type { Found, JudgedLoader } from './definition.ts';
import type { Cause, Doubt, Gain } from './finding.ts';
import { TAKEN } from './oversubscribed-cores.ts';

const FULL = 0.9;
const STORAGE_FULL = 0.85;
const BY_SETTINGS = 1.3;
/** Less is not promised. */
export const LEAST_GAIN = 1.03;

/** What a verdict on a loader says beside its figures: why, how the loader is better set, and what that gains. */
export function changeOf(judged: JudgedLoader): Pick<Found<unknown>, 'cause' | 'fix' | 'gain' | 'doubts'> {
  const { loader, choice } = judged;
  const common = { cause: causeOf(judged), doubts: doubtsOf(judged) };
  const unordered = loader.verdict.bound === 'order' ? choice?.unordered : undefined;
  const to = isWorthwhile(choice) ? choice.best : unordered;
  if (choice === undefined || to === undefined) return common;
  const changes = to === unordered ? { in_order: false } : choice.changes;
  return { ...common, fix: { type: 'arguments', loader: loader.name, changes }, gain: gainTo(to.rate, choice) };
}

/** Cores of the whole machine that other programs used, as counted; else what they must have wanted for this one to queue as it did. */
const othersOf = ({ othersUsed, ranks, machine }: LoaderProfile): number => othersUsed ?? ranks * machine.others;

/** A resource is saturated, or none is and the settings leave them unused. */
function causeOf({ loader, profile, choice, coresBusy, storageShare }: JudgedLoader): Cause {
  const usable = loader.evidence.coresUsable;
  const full = (coresBusy + (profile === undefined ? 0 : othersOf(profile))) / usable;
  // What other settings alone would free was not used up.
  const isFull = full >= FULL || choice?.now.bound === 'cores';
  if (isFull && (choice?.factor ?? 1) < BY_SETTINGS)
    return { type: 'hardware', resource: 'cpu', full: share(Math.min(1, full)) };
  if (storageShare !== undefined && storageShare >= STORAGE_FULL)
    return { type: 'hardware', resource: 'storage', full: share(storageShare) };
  return { type: 'software' };
}

export const isWorthwhile = (choice: LoaderChoice | undefined): choice is LoaderChoice =>
  choice !== undefined && choice.factor >= LEAST_GAIN && Object.keys(choice.changes).length > 0;

export const gainTo = ({ estimate, low, high }: Interval, { now }: LoaderChoice): Gain => {
  const factor = estimate / now.rate.estimate;
  // Two runs differ independently: relative errors of a ratio add up as squares do.
  const spread = (one: number, other: number): number => Math.exp(Math.hypot(Math.log(one), Math.log(other)));
  return {
    rate: elementsPerSecond(estimate),
    factor,
    low: elementsPerSecond(low),
    high: elementsPerSecond(high),
    factorBand: {
      low: factor / spread(estimate / low, now.rate.high / now.rate.estimate),
      high: factor * spread(high / estimate, now.rate.estimate / now.rate.low),
    },
  };
};

export function doubtsOf({ profile }: JudgedLoader): Doubt[] {
  if (profile === undefined) return [];
  return [
    ...(othersOf(profile) > TAKEN * profile.ranks * profile.machine.cores ? (['busy-machine'] as const) : []),
    ...(profile.handOver.isGuessed ? (['guessed'] as const) : []),
    ...(profile.preparing.length < 20 ? (['few-batches'] as const) : []),
  ];
}

/** What every verdict on a loader rests on. */
export interface WaitFigures {
  readonly rate: ElementsPerSecond;
  /** Part of the consumer's time that it waits. */
  readonly waiting: Share;
  /** The most to be gained: what is waited for it, of the time of the whole program. */
  readonly atStake: Share;
  readonly workers: number;
  readonly preparation: Ns;
  readonly step: Ns;
  /** From prepared to in the consumer's hands. */
  readonly delay: Ns;
}

export const waitFigures = ({ loader, profile }: JudgedLoader): WaitFigures => ({
  // Without the start of workers where that is known, as a forecast has it.
  rate: elementsPerSecond(profile?.measured || loader.elementsPerSecond),
  waiting: loader.verdict.waitShare,
  atStake: loader.cost.lostOfProgram,
  workers: loader.workers,
  preparation: loader.evidence.preparationPerBatch,
  step: loader.evidence.consumePerBatch,
  delay: loader.delay.mean,
});

/** Below this part of the time a core is wanted, queueing for one explains nothing. */
export const HARDLY_QUEUED = 0.05;

/** Part of the time it wants a core that preparation queues for one, over the batches whose CPU was read. */
export function queuedShare({ cpu, runDelay }: LoaderSummary): number {
  const wanted = cpu.mean + runDelay.mean;
  return wanted > 0 ? runDelay.mean / wanted : 0;
}
