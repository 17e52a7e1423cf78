import { existsSync, statSync } from 'node:fs';
import { extname } from 'node:path';
import { systemPath } from '../../files/path-bytes.ts';
import { entryOrLoss, type FileEntry } from '../../io/input/file-entry.ts';
import { unreadable } from '../../io/input/file-reader.ts';
import { isPattern, patternSet } from '../../io/input/glob-pattern.ts';
import type { GiveUp } from '../../io/input/loss.ts';
import { localStorage } from '../../io/storage/local.ts';
import { readingFiles, type SourceReader } from '../contract/source.ts';
import { type Pipeline, sourcePipeline } from '../description/pipeline.ts';
import { describePaths } from './describe-paths.ts';
import { pathsOf, readWalk, type WalkStart } from './glob.ts';
import { type FileSourceOptions, lossPolicy } from './loss-policy.ts';

export interface FilesOptions extends FileSourceOptions {
  /** Only files with one of these endings: `['.jpg', '.jpeg']`. */
  readonly extensions?: readonly string[];
}

/**
 * The files of a folder and the folders in it, or those that match a pattern (`images/**` and the like), in the order of
 * their paths; or a list of paths, in its order.
 */
export function files(where: string | readonly string[], options: FilesOptions = {}): Pipeline<FileEntry> {
  const places = typeof where === 'string' ? { where } : describePaths(where);
  const { skip, settings: policy } = lossPolicy('files', options);
  const settings = { ...places, extensions: options.extensions, ...policy };
  const source = readingFiles(
    ({ from, giveUp }) => {
      const lost = skip ? giveUp : undefined;
      return typeof where === 'string'
        ? readWalk(walkOf(where, options.extensions), from, lost === undefined ? {} : { giveUp: lost })
        : readList(where, from, lost);
    },
    () => (typeof where === 'string' ? pathsOf(walkOf(where, options.extensions), skip) : where),
    { lenient: skip },
  );
  return sourcePipeline('files', settings, source, options);
}

/** The bytes of a file, read synchronously in the thread that asks, so that its time and bytes are that thread's. */
export const readFile = (file: FileEntry | string): Uint8Array =>
  localStorage.readFile(typeof file === 'string' ? file : file.path);

/** The same for `concurrency` files at once, where storage is slow to answer: `.map(readFileAsync, { concurrency: 16 })`. */
export async function readFileAsync(file: FileEntry | string): Promise<Uint8Array> {
  return localStorage.readFileAsync(typeof file === 'string' ? file : file.path);
}

/** Folders are read as the walk reaches them: a million files neither delay the first nor sit in memory. */
function walkOf(where: string, extensions: readonly string[] | undefined): WalkStart {
  const wanted = extensions === undefined ? undefined : new Set(extensions.map(ending => ending.toLowerCase()));
  const matches = (path: string): boolean => wanted === undefined || wanted.has(extname(path).toLowerCase());
  const asIs = (path: string): string => path;
  // A folder may be called `a[1]`: what exists is meant as it stands.
  if (isPattern(where) && !existsSync(systemPath(where))) {
    const set = patternSet([where]);
    const filter = { ...set, matches: (path: string) => set.matches(path) && matches(path) };
    return { bases: set.bases, locate: asIs, filter };
  }
  if (!isFolder(where)) throw unreadable(where, new Error('it is a file; give its folder, or a list of files'));
  return { bases: [where], locate: asIs, filter: { matches, mayHold: () => true } };
}

function isFolder(path: string): boolean {
  try {
    return statSync(systemPath(path)).isDirectory();
  } catch (error) {
    throw unreadable(path, error);
  }
}

function readList(paths: readonly string[], from: unknown, giveUp: GiveUp | undefined): SourceReader {
  let next = typeof from === 'number' ? from : 0;
  return {
    read(into, limit) {
      const before = into.length;
      for (; next < paths.length && into.length - before < limit; next++) {
        const entry = entryOrLoss(paths[next] ?? '', giveUp);
        if (entry !== undefined) into.push(entry);
      }
      return into.length - before;
    },
    position: () => next,
    done: () => next / Math.max(1, paths.length),
    close: () => undefined,
  };
}
