import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { VenturiError } from '../model/errors.ts';
import { redactRun } from '../store/redact-run.ts';
import { readerOf } from './targets/registry.ts';

/** The same of one run. */
export const withRedactedCopy = <T>(path: string, work: (path: string) => Promise<T>): Promise<T> =>
  withRedactedCopies([path], ([copy = path]) => work(copy));

/**
 * What `work` gives for copies of runs without paths, arguments and host names; the copies are removed afterwards, and their folder is not in the
 * result. Files that another program wrote are left as they are; their folders are not in the result either.
 */
export async function withRedactedCopies<T>(
  paths: readonly string[],
  work: (paths: readonly string[]) => Promise<T>,
): Promise<T> {
  if (readerOf(paths) !== undefined) {
    const folders = paths.filter(path => isAbsolute(path)).map(path => dirname(path));
    return folders.reduce<unknown>(withoutFolder, await work(paths)) as T;
  }
  const folder = makeFolder();
  try {
    // What a run is compared with goes before it.
    const copies = paths.map((path, at) =>
      copied(path, join(folder, at < paths.length - 1 ? `other-${at + 1}` : 'redacted')),
    );
    return withoutFolder(await work(copies), folder) as T;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function makeFolder(): string {
  const beginning = join(tmpdir(), 'venturi-redacted-');
  try {
    return mkdtempSync(beginning);
  } catch (error) {
    throw noTemporary(error, beginning);
  }
}

function copied(path: string, to: string): string {
  try {
    return redactRun(path, to);
  } catch (error) {
    if (error instanceof VenturiError && error.code === 'VENTURI_RUN_UNWRITABLE') throw noTemporary(error.cause, to);
    throw error;
  }
}

/** Nobody chose that place: the remedy is another than that of a run that is written. */
const noTemporary = (cause: unknown, path: string): VenturiError =>
  new VenturiError(
    'VENTURI_FILE_UNWRITABLE',
    `The copy without paths and arguments cannot be written to ${path}: ${(cause as Error).message}.`,
    {
      remedy: 'Name a folder with space for temporary files: TMPDIR=FOLDER; or keep paths and arguments: --full.',
      cause,
    },
  );

/** Every text in plain data without a folder. */
function withoutFolder(value: unknown, folder: string): unknown {
  if (typeof value === 'string') return value.replaceAll(`${folder}/`, '').replaceAll(folder, basename(folder));
  if (Array.isArray(value)) return value.map(each => withoutFolder(each, folder));
  if (!isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withoutFolder(each, folder)]));
}

/** Not what has methods, as a pyramid, nor typed arrays. */
const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
