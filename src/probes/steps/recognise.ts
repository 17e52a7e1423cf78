import { closeSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { constants, gunzipSync } from 'node:zlib';
import { entryAt } from '../../files/entry.ts';
import { openRegular } from '../../files/regular-file.ts';
import { looksLikeExecutionTrace, processInHead } from './execution-trace/recognition.ts';
import { HEAD_BYTES, headText, IMPORTERS } from './importers.ts';
import { inUtf8, isGzip, MOST_GZIPS } from './trace-bytes.ts';

/** Files of a folder that are looked at, the first by name: more than ranks of any job that is profiled at once. */
export const MOST_FILES = 1024;

/** Files of training steps at a path: the file itself, or those of a folder in order of their names. Empty where there is none. */
export function stepFiles(path: string): readonly string[] {
  const found = entryAt(path);
  if (found?.isFile()) return isStepFile(path) ? [path] : [];
  if (!found?.isDirectory()) return [];
  return namedLikeSteps(path).slice(0, MOST_FILES).filter(isStepFile);
}

/** Files of a folder that are called as files of training steps are, in order of their names. */
export const namedLikeSteps = (folder: string): readonly string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter(entry => entry.isFile() && /\.(?:json|gz|pb|pbtxt|et)$/.test(entry.name))
    .map(({ name }) => join(folder, name))
    .sort();

/** Whether the beginning of a file looks like one of the formats. */
function isStepFile(path: string): boolean {
  const head = headOf(path);
  return IMPORTERS.some(importer => importer.recognises(head));
}

/** Whether a file is an execution trace of PyTorch, which belongs beside traces of its profiler. */
export const isExecutionTrace = (path: string): boolean => looksLikeExecutionTrace(headOf(path));

/** The process that an execution trace says it is of; those of old versions do not say. */
export const executionTraceProcess = (path: string): string | undefined => processInHead(headOf(path));

/** Empty where it cannot be read: then it looks like nothing. */
function headOf(path: string): string {
  try {
    return headText(inUtf8(beginning(path)));
  } catch {
    return '';
  }
}

/** The rest of the compressed data is missing, which is no error here. */
const unpackedBeginning = (bytes: Uint8Array, gzipsLeft: number): Uint8Array =>
  isGzip(bytes) && gzipsLeft > 0
    ? unpackedBeginning(
        gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH }).subarray(0, HEAD_BYTES),
        gzipsLeft - 1,
      )
    : bytes;

function beginning(path: string): Uint8Array {
  const fd = openRegular(path);
  try {
    const bytes = new Uint8Array(HEAD_BYTES);
    const read = bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, 0));
    return unpackedBeginning(read, MOST_GZIPS);
  } finally {
    closeSync(fd);
  }
}
