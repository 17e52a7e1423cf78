import type { LoaderSummary } from '../../analysis/batches/summary.ts';
import { heading } from '../blocks.ts';
import { figures, names, table } from '../columns.ts';
import { count, precisePercent } from '../format.ts';
import type { Block } from '../tree.ts';

/** Cost of each loader to the program, the largest first; nothing for a single loader. */
export function loaderCostBlocks(loaders: readonly LoaderSummary[]): Block[] {
  if (loaders.length < 2) return [];
  return [
    heading('Loaders', "waiting: of a loader's own time; largest gain: of the program's"),
    table(
      [...loaders].sort((a, b) => b.cost.lost - a.cost.lost),
      [
        names('loader', ({ name }) => name),
        figures('batches', ({ batches }) => count(batches)),
        figures('share of program', ({ cost }) => precisePercent(cost.passesOfProgram)),
        figures('waiting', ({ verdict }) => precisePercent(verdict.waitShare)),
        figures('largest gain', ({ cost }) => precisePercent(cost.lostOfProgram)),
        names('limited by', ({ verdict }) => verdict.bound),
      ],
    ),
  ];
}
