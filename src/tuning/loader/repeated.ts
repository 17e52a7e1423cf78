import type { OperatorTimeRow } from '../../analysis/batches/summary.ts';
import { sumOf } from '../../math/totals.ts';
import { type Share, share } from '../../model/units.ts';

/** Work on an element that gives the same result in every pass. */
export interface RepeatedWork {
  readonly operators: readonly string[];
  /** The last of them. */
  readonly until: string;
  /** Their part of all the work. */
  readonly share: Share;
}

/** Opening, decoding and the transforms up to the first that may be random. Undefined where there is nothing of it. */
export function repeatedWork(rows: readonly OperatorTimeRow[]): RepeatedWork | undefined {
  const onElements = rows.filter(({ traits }) => !traits.fetches && traits.per === 'element');
  const end = onElements.findIndex(({ traits }) => !traits.steady);
  const steady = end === -1 ? onElements : onElements.slice(0, end);
  const last = steady.at(-1);
  if (last === undefined) return undefined;
  return {
    operators: steady.map(({ operator }) => operator),
    until: last.operator,
    share: share(sumOf(steady, row => row.share)),
  };
}
