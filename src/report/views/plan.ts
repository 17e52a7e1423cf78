import type { Change } from '../../model/plan.ts';
import { rate } from '../format.ts';
import { actionWords, REASON_WORDS } from '../plan-words.ts';
import type { Cell, TableBlock } from '../tree.ts';

/** A plan as a diff: what goes from each operator, what comes, and what rate that leads to. */
export function planTable(changes: readonly Change[], label: (id: string) => string): TableBlock {
  return {
    type: 'table',
    columns: [
      { title: 'operator', align: 'left' },
      { title: 'change', align: 'left' },
      { title: 'then', align: 'right' },
      { title: 'why', align: 'left', optional: true },
    ],
    rows: changes.flatMap(({ action, reason, forecast }) => {
      const { less, more } = actionWords(action);
      const lines: Cell[] = [
        ...(less === undefined ? [] : [{ text: `- ${less}`, tone: 'bad' as const }]),
        ...(more === undefined ? [] : [{ text: `+ ${more}`, tone: 'good' as const }]),
      ];
      return lines.map((line, at): Cell[] => {
        const isLast = at === lines.length - 1;
        return [
          at === 0 ? label(action.operator) : '',
          line,
          isLast ? rate(forecast?.estimate) : '',
          isLast ? { text: REASON_WORDS[reason], tone: 'muted' } : '',
        ];
      });
    }),
  };
}
