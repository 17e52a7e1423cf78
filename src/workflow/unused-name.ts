import { existsSync } from 'node:fs';
import { runFolder } from '../store/run-writer.ts';

/** `name`, or `name-2`, `name-3` … where runs of that name are there. */
export function unusedName(name: string): string {
  for (let turn = 1; ; turn++) {
    const candidate = turn === 1 ? name : `${name}-${turn}`;
    if (!existsSync(runFolder(candidate))) return candidate;
  }
}
