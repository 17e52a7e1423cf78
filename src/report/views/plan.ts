import type { Change } from '../../model/plan.ts';
import { figures, names, optional, table } from '../columns.ts';
import { rate } from '../format.ts';
import type { Label } from '../labels.ts';
import { actionWords, REASON_WORDS } from '../plan-words.ts';
import type { Cell, TableBlock } from '../tree.ts';

/** A plan as a diff: settings removed and added by operator, and the forecast after each change. */
export function planTable(changes: readonly Change[], label: Label): TableBlock {
  const rows = changes.flatMap(({ action, reason, forecast }) => {
    const { less, more } = actionWords(action);
    const lines: Cell[] = [
      ...(less === undefined ? [] : [{ text: `- ${less}`, tone: 'bad' } as const]),
      ...(more === undefined ? [] : [{ text: `+ ${more}`, tone: 'good' } as const]),
    ];
    return lines.map((line, at) => {
      const isLast = at === lines.length - 1;
      return {
        operator: at === 0 ? label(action.operator) : '',
        line,
        reached: isLast ? rate(forecast?.estimate) : '',
        why: isLast ? ({ text: REASON_WORDS[reason], tone: 'muted' } as const) : '',
      };
    });
  });
  return table(rows, [
    names('operator', ({ operator }) => operator),
    names('change', ({ line }) => line),
    figures('throughput', ({ reached }) => reached),
    optional(names('why', ({ why }) => why)),
  ]);
}
