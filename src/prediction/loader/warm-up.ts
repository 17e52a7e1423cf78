import type { Batch } from '../../analysis/batches/batch.ts';
import { groupedBy } from '../../math/groups.ts';
import { CONFIDENCE, mean, quantile } from '../../math/statistics.ts';

type Times = Readonly<Record<'cpu' | 'asleep', number>>;

/**
 * Additional time of a worker's first batch over its later ones, and of the first step over later ones, ns: modules are
 * imported, caches filled, and pages of a forked process copied. Without workers the consumer's process has it once.
 */
export interface WarmUp {
  readonly preparing: Times;
  readonly step: Times;
}

export const NO_WARM_UP: WarmUp = { preparing: { cpu: 0, asleep: 0 }, step: { cpu: 0, asleep: 0 } };

/** First batch of each preparing process, unlike the others. None where hardly any others would be left. */
export function firstBatches(batches: readonly Batch[]): ReadonlySet<Batch> {
  const firsts = [...groupedBy(batches, ({ preparer }) => preparer).values()].flatMap(([first]) => first ?? []);
  return new Set(2 * firsts.length > batches.length ? [] : firsts);
}

/** Mean excess of `firsts` over the mean of the others; of those within the interval that most others lie in, none: it may be chance. */
export function excessOf(firsts: readonly Times[], others: readonly Times[]): Times {
  const more = (of: (times: Times) => number): number => {
    const ascending = others.map(of).sort((a, b) => a - b);
    const [usual, most] = [mean(ascending), quantile(ascending, (1 + CONFIDENCE) / 2)];
    const excesses = firsts.map(of).map(time => (time > most ? time - usual : 0));
    return excesses.length === 0 ? 0 : mean(excesses);
  };
  return { cpu: more(({ cpu }) => cpu), asleep: more(({ asleep }) => asleep) };
}

/** The warm-up of a thread alone. `alone`: CPU time of a thread alone / recorded CPU time. */
export const asAlone = ({ preparing, step }: WarmUp, alone: number): WarmUp => ({
  preparing: { ...preparing, cpu: preparing.cpu * alone },
  step: { ...step, cpu: step.cpu * alone },
});

export const takesAsLong = (one: WarmUp, other: WarmUp): boolean =>
  isSame(one.preparing, other.preparing) && isSame(one.step, other.step);

const isSame = (one: Times, other: Times): boolean => one.cpu === other.cpu && one.asleep === other.asleep;
