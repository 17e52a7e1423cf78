import type { Activity } from '../../analysis/profile/summary.ts';
import { names, table } from '../columns.ts';
import type { Block } from '../tree.ts';

const LEVELS = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;
/** Rows that never have this much of a bin are not drawn. */
const LEAST_SHOWN = 0.02;

/** A row per owner and a column per bin: the height is its share of the samples in it. Undefined where there is too little to draw. */
export function activityTable({ rows }: Activity): Block | undefined {
  const shown = rows.filter(({ shares }) => Math.max(...shares) >= LEAST_SHOWN);
  if (shown.length === 0 || (shown[0]?.shares.length ?? 0) < 2) return undefined;
  return table(shown, [
    names('who', ({ name }) => name),
    names('share', ({ shares }) => shares.map(share => LEVELS[Math.round(share * (LEVELS.length - 1))] ?? '').join('')),
  ]);
}
