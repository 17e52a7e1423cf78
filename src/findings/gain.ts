import type { Analysis } from '../analysis/analysis.ts';
import { type Ceiling, ceilings, rangeUnder } from '../analysis/rates/ceilings.ts';
import type { StageRates } from '../analysis/rates/rates.ts';
import { elementsPerSecond } from '../model/units.ts';
import type { Gain } from './finding.ts';

/** Least gain, of the present rate, that is promised: less is within what two runs of one pipeline differ by. A judgement. */
const LEAST_GAIN = 0.02;
/** Part of a lane by which its need may be exceeded before another is asked for: rates are not known more exactly. A judgement. */
const LANE_SLACK = 0.05;

/**
 * What the rate would rise to once the ceilings that `lifted` names are gone, and to `atMost`; `low` is what that may be too much by.
 * Nothing below the least gain is promised, nor what the present rate is not known to differ from.
 */
export function gainOf(
  { rates }: Analysis,
  lifted: (ceiling: Ceiling) => boolean,
  atMost = Number.POSITIVE_INFINITY,
  low = atMost,
): Gain | undefined {
  const now = rates.rate;
  const under = rangeUnder(ceilings(rates), lifted);
  const rate = Math.min(under.rate, atMost);
  if (!(now.estimate > 0) || !Number.isFinite(rate)) return undefined;
  if (rate < now.estimate * (1 + LEAST_GAIN) || rate <= now.high) return undefined;
  return {
    rate: elementsPerSecond(rate),
    factor: rate / now.estimate,
    low: elementsPerSecond(Math.min(under.low, low)),
    high: elementsPerSecond(Math.min(under.high, atMost)),
  };
}

/** Lanes a stage needs for a rate: its time per element, busy or asleep, times the rate. */
export const lanesFor = ({ cpuDemand, blockedDemand }: StageRates, rate: number): number =>
  Math.max(1, Math.ceil((cpuDemand.estimate + blockedDemand) * rate - LANE_SLACK));
