import type { LoaderSummary } from '../../analysis/batches/summary.ts';
import { count, precisePercent } from '../format.ts';
import type { Block } from '../tree.ts';

/** What each loader costs the program, the costliest first; nothing where there is only one. */
export function loaderCostBlocks(loaders: readonly LoaderSummary[]): Block[] {
  if (loaders.length < 2) return [];
  return [
    { type: 'heading', text: 'Loaders', note: "waiting: of each one's own time; at stake: of the program's" },
    {
      type: 'table',
      columns: [
        { title: 'loader', align: 'left' },
        { title: 'batches', align: 'right' },
        { title: 'of the program', align: 'right' },
        { title: 'waiting', align: 'right' },
        { title: 'at stake', align: 'right' },
        { title: 'limited by', align: 'left' },
      ],
      rows: [...loaders]
        .sort((a, b) => b.cost.lost - a.cost.lost)
        .map(({ name, batches, cost, verdict }) => [
          name,
          count(batches),
          precisePercent(cost.passesOfProgram),
          precisePercent(verdict.waitShare),
          precisePercent(cost.lostOfProgram),
          verdict.bound,
        ]),
    },
  ];
}
