import type { Interval } from '../../../../math/statistics.ts';
import type { Warning } from '../../../../model/warnings.ts';
import { isNear, STEADY } from '../../judgement.ts';

/** How often what may be the best is measured again where something came close to it, and for which part of a trial's time. */
export const TIMES_AGAIN = 2;
export const SHARE_OF_AGAIN = 1 / 2;

/** Something whose rate was measured, in elements per second. */
interface Measured {
  readonly measured: Interval;
}

/**
 * The best and those that came close to it, by their places, the best first. Where a target is enough, all that reach it are alike: of
 * those, the first that was planned.
 */
export function contendersOf(tried: readonly Measured[], target?: number): readonly number[] {
  const best = Math.max(...tried.map(rateOf));
  const order = tried
    .flatMap((each, at) => (isNear(rateOf(each), best) ? [at] : []))
    .sort((a, b) => rateOf(tried[b]) - rateOf(tried[a]));
  if (target === undefined) return order;
  const reaching = tried.findIndex(each => rateOf(each) >= target);
  return reaching < 0 ? order : [reaching];
}

/** Which plan is the best, or whether any is better than the pipeline as it is, one measurement of each does not tell. */
export function isClose(before: Measured | undefined, tried: readonly Measured[]): boolean {
  const best = Math.max(...tried.map(rateOf));
  return contendersOf(tried).length > 1 || (tried.length > 0 && isNear(rateOf(before), best));
}

/** Of several measurements of the same, the one in the middle; of two in the middle the slower. */
export function middle<T extends Measured>(times: readonly T[]): T {
  const found = times.toSorted((a, b) => rateOf(a) - rateOf(b))[(times.length - 1) >> 1];
  if (found === undefined) throw new Error('nothing was measured');
  return found;
}

/** What to say where the same, measured several times, was now fast and now slow. */
export function unsteadiness(measured: readonly (readonly Measured[])[]): Warning[] {
  const spreads = measured.map(times => Math.max(...times.map(rateOf)) / Math.min(...times.map(rateOf)));
  const most = Math.max(...spreads);
  if (!(most > STEADY)) return [];
  return [
    {
      code: 'VENTURI_WARN_RATES_UNSTEADY',
      message: `Measured again, the same plan was up to ${most.toFixed(1)} times as fast: something slows this machine now and then. Rates are means, predictions are as good as the first recording.`,
    },
  ];
}

const rateOf = (each: Measured | undefined): number => each?.measured.estimate ?? 0;
