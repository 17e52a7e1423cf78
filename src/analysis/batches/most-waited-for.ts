import { highest } from '../../math/totals.ts';
import type { LoaderSummary } from './summary.ts';
import { HARDLY } from './verdict.ts';

/**
 * The loader that a program is judged by: the one that is waited for longest, or, where none is waited for much, the one with the longest
 * passes. Loaders with too few recorded batches count only where there are no others.
 */
export function mostWaitedFor(loaders: readonly LoaderSummary[]): LoaderSummary | undefined {
  const clear = loaders.filter(({ verdict }) => verdict.bound !== 'unclear');
  const judged = clear.length > 0 ? clear : loaders;
  const costliest = highest(judged, ({ cost }) => cost.lost);
  return costliest !== undefined && costliest.cost.lostOfProgram < HARDLY
    ? highest(judged, ({ cost }) => cost.passesOfProgram)
    : costliest;
}
