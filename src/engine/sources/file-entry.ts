import { statSync } from 'node:fs';
import { unreadable } from './file-reader.ts';

/** A file, not yet read. `readFile` reads it where the work happens. */
export interface FileEntry {
  readonly path: string;
  readonly size: number;
}

/** What is known of a file before it is read. */
export function entryOf(path: string): FileEntry {
  try {
    return { path, size: statSync(path).size };
  } catch (error) {
    throw unreadable(path, error);
  }
}
