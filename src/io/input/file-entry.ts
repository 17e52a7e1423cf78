import { statSync } from 'node:fs';
import { systemPath } from '../../files/path-bytes.ts';
import { orUnreadable } from './file-reader.ts';
import { type GiveUp, isLoss } from './loss.ts';

/** A file, not yet read. `readFile` reads it where the work happens. */
export interface FileEntry {
  readonly path: string;
  readonly size: number;
}

/** Bytes of a file; 0 where it cannot be looked at, which whoever opens it will say. */
export function sizeOf(path: string): number {
  try {
    return statSync(systemPath(path)).size;
  } catch {
    return 0;
  }
}

/** What is known of a file before it is read. */
export const entryOf = (path: string): FileEntry => ({
  path,
  size: orUnreadable(path, () => statSync(systemPath(path)).size),
});

/** The same; with `giveUp`, undefined where nothing can be known. */
export function entryOrLoss(path: string, giveUp: GiveUp | undefined): FileEntry | undefined {
  try {
    return entryOf(path);
  } catch (error) {
    if (giveUp === undefined || !isLoss(error)) throw error;
    giveUp({ what: 'file', path, error });
    return undefined;
  }
}
