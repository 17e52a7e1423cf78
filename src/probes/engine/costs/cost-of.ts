import { median } from '../../../math/statistics.ts';
import type { Cost } from '../../../model/pipeline-costs.ts';

/** A cost from what rounds came to. A difference of two measurements may fall below zero, a cost does not. */
export function costOf(rounds: readonly number[]): Cost {
  const values = rounds.filter(Number.isFinite).map(value => Math.max(0, value));
  if (values.length === 0) throw new Error('there is no round to take a cost from');
  return { median: median(values), low: Math.min(...values), high: Math.max(...values) };
}
