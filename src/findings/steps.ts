import type { Part } from '../analysis/steps/breakdown.ts';
import type { StepsSummary } from '../analysis/steps/summary.ts';
import { elementsPerSecond, NS_PER_SECOND, type Ns, type Share } from '../model/units.ts';
import type { Gain } from './finding.ts';
import { LEAST_GAIN } from './loader.ts';

/** What every verdict on training steps rests on. */
export interface StepFigures {
  /** Mean time of a step. */
  readonly step: Ns;
  /** Part of it that the finding is about. */
  readonly share: Share;
  readonly steps: number;
  /** What wrote the trace: `kineto`, `tensorflow` … */
  readonly source: string;
}

/** The part of a step that takes the most of it. */
export function largestPart({ shares }: StepsSummary): Part {
  const [first] = Object.entries(shares).sort(([, a], [, b]) => b - a) as [Part, Share][];
  return first?.[0] ?? 'host';
}

export const stepFigures = ({ time, shares, source }: StepsSummary, part: Part): StepFigures => ({
  step: time.mean,
  share: shares[part],
  steps: time.count,
  source,
});

/** What there is to gain if a part took no time at all: an upper bound, in steps per second. */
export function gainWithout({ time, shares }: StepsSummary, part: Part): Gain | undefined {
  const factor = 1 / (1 - shares[part]);
  // One step is a trace without marks, as a rule: start and end of the program are in it.
  if (time.count < 2 || !Number.isFinite(factor) || factor < LEAST_GAIN) return undefined;
  const rate = elementsPerSecond((factor * NS_PER_SECOND) / time.mean);
  return { rate, factor, low: rate, high: rate };
}
