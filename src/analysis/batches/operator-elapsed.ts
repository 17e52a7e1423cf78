import { sumOf } from '../../math/totals.ts';
import type { LoaderSummary, OperatorTimeRow } from './summary.ts';

/**
 * An operator's own part of the time in which a loader's batches were prepared, summed over batches, wall-clock ns. Elements
 * that were not timed are assumed to be like the others.
 */
export function operatorElapsed(row: OperatorTimeRow, { preparation, batches, operators }: LoaderSummary): number {
  if (row.traits.per === 'batch') return row.mean * batches;
  const collations = operators.filter(({ traits }) => traits.per === 'batch');
  const share = sumOf(collations, one => one.share);
  const time = sumOf(collations, one => one.mean * batches);
  return share < 1 ? (Math.max(0, preparation.total - time) * row.share) / (1 - share) : 0;
}
