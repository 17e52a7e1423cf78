import type { RankSummary } from '../../analysis/batches/ranks.ts';
import type { LoaderSummary } from '../../analysis/batches/summary.ts';
import { heading } from '../blocks.ts';
import { figures, names, optional, table } from '../columns.ts';
import { count, percent, precisePercent, preciseTime, rate } from '../format.ts';
import type { Block } from '../tree.ts';

/** Smallest difference between the ranks' shares of waiting that is told. */
const DIFFERENT = 0.1;

export const rankName = ({ rank, consumer }: RankSummary): string =>
  rank === undefined ? `process ${consumer}` : `rank ${rank}`;

/** Each rank by itself; nothing where there is only one. */
export function rankBlocks({ ranks, rankSpread, elementsPerSecond }: LoaderSummary): Block[] {
  if (rankSpread === undefined) return [];
  const slowest = ranks.find(({ consumer }) => consumer === rankSpread.slowest);
  const note =
    `${rate(elementsPerSecond)} together; ${slowest === undefined ? '' : rankName(slowest)} is the slowest, ` +
    `the fastest is ${percent(rankSpread.rates - 1)} faster`;
  return [
    heading('Ranks', note),
    table(ranks, [
      names('consumer', rankName),
      figures('batches', ({ batches }) => count(batches)),
      figures('throughput', each => rate(each.elementsPerSecond)),
      figures('waiting', ({ verdict }) => precisePercent(verdict.waitShare)),
      optional(figures('preparation', ({ preparation }) => preciseTime(preparation))),
      optional(figures('consumption', ({ step }) => preciseTime(step))),
      names('limited by', ({ verdict }) => verdict.bound),
    ]),
  ];
}

/** The rank whose waiting is told, where ranks differ. */
export function rankWords({ ranks, rankSpread }: LoaderSummary): string {
  const most = ranks.find(({ consumer }) => consumer === rankSpread?.holdingUp);
  if (rankSpread === undefined || most === undefined || rankSpread.waiting < DIFFERENT) return '';
  const least = Math.min(...ranks.map(({ verdict }) => verdict.waitShare));
  return ` in ${rankName(most)}, ${percent(least)} where it waits least`;
}
