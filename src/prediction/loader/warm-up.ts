import type { Batch } from '../../analysis/batches/batch.ts';
import { mean, quantile } from '../../math/statistics.ts';

type Times = Readonly<Record<'cpu' | 'asleep', number>>;

/**
 * What the first batch of a worker takes more than its later ones, and the first step more than later ones, ns: modules are
 * imported, caches filled, and pages of a forked process copied. Each worker pays for its own; without workers the consumer's process does, once.
 */
export interface WarmUp {
  readonly preparing: Times;
  readonly step: Times;
}

export const NO_WARM_UP: WarmUp = { preparing: { cpu: 0, asleep: 0 }, step: { cpu: 0, asleep: 0 } };

/** First batches of those who prepare, which are no sample of the others. None where hardly any would be left. */
export function firstBatches(batches: readonly Batch[]): ReadonlySet<Batch> {
  const firsts = new Map<number, Batch>();
  for (const batch of batches) if (!firsts.has(batch.preparer)) firsts.set(batch.preparer, batch);
  return new Set(2 * firsts.size > batches.length ? [] : firsts.values());
}

/** Batches at the beginning may be long by chance: what is no longer than this part of the others says nothing. */
const USUAL_PART = 0.95;

/** What each of `firsts` took more than others do, on average. */
export function excessOf(firsts: readonly Times[], others: readonly Times[]): Times {
  const more = (of: (times: Times) => number): number => {
    const ascending = others.map(of).sort((a, b) => a - b);
    const [usual, most] = [mean(ascending), quantile(ascending, USUAL_PART)];
    const excesses = firsts.map(of).map(time => (time > most ? time - usual : 0));
    return excesses.length === 0 ? 0 : mean(excesses);
  };
  return { cpu: more(({ cpu }) => cpu), asleep: more(({ asleep }) => asleep) };
}

/** What it takes a thread alone, where recorded CPU is to be multiplied by so much for that. */
export const asAlone = ({ preparing, step }: WarmUp, alone: number): WarmUp => ({
  preparing: { ...preparing, cpu: preparing.cpu * alone },
  step: { ...step, cpu: step.cpu * alone },
});

export const takesAsLong = (one: WarmUp, other: WarmUp): boolean =>
  isSame(one.preparing, other.preparing) && isSame(one.step, other.step);

const isSame = (one: Times, other: Times): boolean => one.cpu === other.cpu && one.asleep === other.asleep;
