import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, isAbsolute, join } from 'node:path';
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
  const folder = await mkdtemp(join(tmpdir(), 'venturi-redacted-'));
  try {
    // What a run is compared with goes before it.
    const copies = paths.map((path, at) =>
      redactRun(path, join(folder, at < paths.length - 1 ? `other-${at + 1}` : 'redacted')),
    );
    return withoutFolder(await work(copies), folder) as T;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

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
