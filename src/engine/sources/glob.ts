import { isAbsolute, join } from 'node:path';
import { entryOrLoss, type FileEntry } from '../../io/input/file-entry.ts';
import { patternSet } from '../../io/input/glob-pattern.ts';
import { FolderWalk, type WalkFilter } from '../../io/input/glob-walk.ts';
import type { GiveUp } from '../../io/input/loss.ts';
import { VenturiError } from '../../model/errors.ts';
import { badOption } from '../../model/option.ts';
import { readingFiles, type SourceReader } from '../contract/source.ts';
import { type Pipeline, sourcePipeline } from '../description/pipeline.ts';
import { type FileSourceOptions, lossPolicy } from './loss-policy.ts';

export interface GlobOptions extends FileSourceOptions {
  /** Folder that relative patterns start from. The current one where absent. */
  readonly cwd?: string;
}

/**
 * The files whose paths match: `*` stands for any part of a name, `**` for any folders, `{a,b}` for a or b; a pattern that
 * begins with ! takes away. In the order of their paths, each once; names that begin with a dot only where the pattern
 * says so. Folders are read as the walk reaches them, so that the first file comes long before the last is known.
 */
export function glob(patterns: string | readonly string[], options: GlobOptions = {}): Pipeline<FileEntry> {
  const list = typeof patterns === 'string' ? [patterns] : patterns;
  const set = patternSet(list);
  if (set.bases.length === 0) {
    throw badOption(
      'glob() has no pattern that names files',
      "give at least one pattern that does not begin with !, such as 'images/**/*.jpg'",
    );
  }
  const { cwd } = options;
  const locate = (path: string): string => (cwd === undefined || isAbsolute(path) ? path : join(cwd, path));
  const nothing = (): VenturiError =>
    new VenturiError('VENTURI_SOURCE_UNREADABLE', `no file matches ${list.map(pattern => `'${pattern}'`).join(', ')}`, {
      remedy: `check the patterns; they start from ${cwd ?? 'the directory the command runs in'}`,
    });
  const walk: WalkStart = { bases: set.bases, locate, filter: set };
  const { skip, settings } = lossPolicy('glob', options);
  const source = readingFiles(
    ({ from, giveUp }) => readWalk(walk, from, { nothing, ...(skip && { giveUp }) }),
    () => pathsOf(walk, skip),
    { lenient: skip },
  );
  return sourcePipeline('glob', { patterns: list, cwd, ...settings }, source, options);
}

/** Where walks begin, one after the other, and what they give. */
export interface WalkStart {
  readonly bases: readonly string[];
  readonly locate: (path: string) => string;
  readonly filter: WalkFilter;
}

/** The files of all walks, by paths that can be opened. */
export function* pathsOf({ bases, locate, filter }: WalkStart, lenient = false): Iterable<string> {
  for (const base of bases) {
    const walk = new FolderWalk(base, locate, filter, lenient ? () => undefined : undefined);
    for (let path = walk.next(); path !== undefined; path = walk.next()) yield locate(path);
  }
}

/** `from`: how many files to pass over. `nothing`: what to say where there is none. `giveUp`: what cannot be read is left out. */
export function readWalk(
  { bases, locate, filter }: WalkStart,
  from: unknown,
  { nothing, giveUp }: { readonly nothing?: () => VenturiError; readonly giveUp?: GiveUp } = {},
): SourceReader {
  const passed = typeof from === 'number' ? from : 0;
  let begun = 0;
  let given = 0;
  let walk: FolderWalk | undefined;
  const next = (): string | undefined => {
    for (;;) {
      const path = walk?.next();
      if (path !== undefined) return path;
      const base = bases[begun];
      if (base === undefined) return undefined;
      begun++;
      walk = new FolderWalk(base, locate, filter, giveUp);
    }
  };
  return {
    read(into, limit) {
      let read = 0;
      while (given < passed && next() !== undefined) given++;
      while (read < limit) {
        const path = next();
        if (path === undefined) break;
        given++;
        const entry = entryOrLoss(locate(path), giveUp);
        if (entry === undefined) continue;
        into.push(entry);
        read++;
      }
      if (given === 0 && nothing !== undefined) throw nothing();
      return read;
    },
    position: () => Math.max(given, passed),
    done: () => (walk === undefined ? 0 : (begun - 1 + walk.done()) / bases.length),
    close: () => undefined,
  };
}
