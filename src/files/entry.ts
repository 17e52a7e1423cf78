import { type Stats, statSync } from 'node:fs';

/** What is at a path. Undefined where nothing is, and where a path leads nowhere: through a file, into what may not be read, too long. */
export function entryAt(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
