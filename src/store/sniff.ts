import { readdirSync, statSync } from 'node:fs';
import { readFully, UnsuitableFileError, withRegular } from '../files/regular-file.ts';

const SIGNATURES: readonly (readonly [string, string])[] = [
  ['VENTURI\0', 'a single lane of a run: give the folder NAME.venturi that holds it'],
  ['\x1f\x8b', 'a gzip file'],
  ['PK\x03\x04', 'a zip archive'],
  ['PAR1', 'a Parquet file'],
  ['ARROW1', 'an Arrow file'],
  ['SQLite format 3\0', 'an SQLite database'],
  ['PERFILE2', 'a perf recording'],
  ['%PDF', 'a PDF'],
];

/** In words, what a file or folder looks like. */
export function describePath(path: string): string {
  try {
    return statSync(path).isDirectory() ? describeFolder(path) : describeFile(path);
  } catch (error) {
    if (error instanceof UnsuitableFileError) return error.message.replace(/^it is /, '');
    return `something that cannot be read (${(error as NodeJS.ErrnoException).code})`;
  }
}

function describeFile(path: string): string {
  const bytes = new Uint8Array(4096);
  const count = withRegular(path, fd => readFully(fd, bytes, 0));
  if (count === 0) return 'an empty file';
  const start = Buffer.from(bytes.subarray(0, count)).toString('latin1');
  const known = SIGNATURES.find(([signature]) => start.startsWith(signature));
  if (known !== undefined) return known[1];
  if (/^\s*[[{]/.test(start)) {
    return start.includes('"traceEvents"') ? 'a Chrome trace in JSON' : 'a JSON file';
  }
  return start.includes('\0') ? 'a binary file' : 'a text file';
}

function describeFolder(path: string): string {
  const entries = readdirSync(path).sort();
  if (entries.length === 0) return 'an empty folder';
  const shown = entries.slice(0, 3).join(', ');
  return `a folder with ${shown}${entries.length > 3 ? ` and ${entries.length - 3} more` : ''}`;
}
