import { closeSync, readdirSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { constants, gunzipSync } from 'node:zlib';
import { openRegular } from '../../files/regular-file.ts';
import { HEAD_BYTES, headText, IMPORTERS } from './importers.ts';
import { isGzip } from './trace-bytes.ts';

/** More files than ranks of any job that is profiled at once: the rest of a folder is not looked at. */
const MOST_FILES = 1024;

/** Files of training steps at a path: the file itself, or those of a folder in order of their names. Empty where there is none. */
export function stepFiles(path: string): readonly string[] {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile()) return isStepFile(path) ? [path] : [];
  if (!found?.isDirectory()) return [];
  return readdirSync(path, { withFileTypes: true })
    .filter(entry => entry.isFile() && /\.(?:json|gz|pb|pbtxt|et)$/.test(entry.name))
    .slice(0, MOST_FILES)
    .map(({ name }) => join(path, name))
    .sort()
    .filter(isStepFile);
}

/** Whether the beginning of a file looks like one of the formats. What cannot be read is none of them. */
function isStepFile(path: string): boolean {
  try {
    const head = headText(beginning(path));
    return IMPORTERS.some(importer => importer.recognises(head));
  } catch {
    return false;
  }
}

function beginning(path: string): Uint8Array {
  const fd = openRegular(path);
  try {
    const bytes = new Uint8Array(HEAD_BYTES);
    const read = bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, 0));
    // The rest of the compressed data is missing, which is no error here.
    return isGzip(read) ? gunzipSync(read, { finishFlush: constants.Z_SYNC_FLUSH }) : read;
  } finally {
    closeSync(fd);
  }
}
