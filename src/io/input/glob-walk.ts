import { type Dir, type Dirent, opendirSync, type Stats, statSync } from 'node:fs';
import { systemPath, textOfName } from '../../files/path-bytes.ts';
import { orUnreadable, unreadable } from './file-reader.ts';
import { type GiveUp, isLoss } from './loss.ts';

/** Decides what a walk gives and where it goes. Paths are relative to where it began, with slashes. */
export interface WalkFilter {
  matches(path: string): boolean;
  /** A folder in which a match may lie. */
  mayHold(folder: string): boolean;
}

/** What takes the place of bytes that are no UTF-8. */
const REPLACED = '\ufffd';

/** A folder on the way down from the start. */
interface Level {
  /** Path of the folder with a slash behind it, or '' for the start itself. */
  readonly prefix: string;
  /** Sorted; folders have a slash behind their name. */
  readonly names: readonly string[];
  next: number;
  /** Device and inode, to know a folder again that a link leads back to. */
  readonly identity: string | undefined;
}

/**
 * Walks a folder depth first, one folder's names at a time, and gives the paths of the files that match in the order of
 * their paths. It follows symbolic links, except back to a folder it is in. In memory are the matching names of the
 * folders between the start and where it is.
 */
export class FolderWalk {
  readonly #locate: (path: string) => string;
  readonly #filter: WalkFilter;
  readonly #giveUp: GiveUp | undefined;
  readonly #levels: Level[] = [];

  /** `locate` turns a path of the walk into one that can be opened. `giveUp`: what cannot be read is left out. */
  constructor(base: string, locate: (path: string) => string, filter: WalkFilter, giveUp?: GiveUp) {
    this.#locate = locate;
    this.#filter = filter;
    this.#giveUp = giveUp;
    this.#enter(base === '' || base.endsWith('/') ? base : `${base}/`);
  }

  /** The next file, or undefined at the end. */
  next(): string | undefined {
    for (let level = this.#levels.at(-1); level !== undefined; level = this.#levels.at(-1)) {
      const name = level.names[level.next++];
      if (name === undefined) this.#levels.pop();
      else if (!name.endsWith('/')) return level.prefix + name;
      else this.#enter(level.prefix + name);
    }
    return undefined;
  }

  /** How far it got, if every folder held as much as its neighbours. */
  done(): number {
    let share = 1;
    let done = 0;
    for (const { names, next } of this.#levels) {
      // The entry it is in counts as begun, not as done: its own level says how much of it is.
      const inside = names[next - 1]?.endsWith('/') === true;
      share /= Math.max(1, names.length);
      done += share * (inside ? next - 1 : next);
    }
    return this.#levels.length === 0 ? 1 : Math.min(1, done);
  }

  #enter(prefix: string): void {
    const folder = this.#locate(prefix === '' ? '.' : prefix);
    try {
      this.#enterFolder(folder, prefix);
    } catch (error) {
      this.#lose(folder, error);
    }
  }

  #lose(path: string, error: unknown): void {
    if (this.#giveUp === undefined || !isLoss(error)) throw error;
    this.#giveUp({ what: 'file', path, error });
  }

  #enterFolder(folder: string, prefix: string): void {
    const identity = identityOf(folder);
    // Links can only lead back to a folder on the way here.
    if (identity !== undefined && this.#levels.some(level => level.identity === identity)) return;
    const names = this.#list(folder, prefix, 'utf8') ?? this.#list(folder, prefix, 'latin1') ?? [];
    this.#levels.push({ prefix, names, next: 0, identity });
  }

  /** The wanted names of a folder. Undefined where one of them seems to be no UTF-8, and is to be looked at byte by byte, as latin1. */
  #list(folder: string, prefix: string, encoding: 'utf8' | 'latin1'): string[] | undefined {
    const names: string[] = [];
    let entries: Dir | undefined;
    try {
      entries = opendirSync(systemPath(folder), { bufferSize: 1024, encoding });
      for (let entry = entries.readSync(); entry !== null; entry = entries.readSync()) {
        if (encoding === 'utf8' && entry.name.includes(REPLACED)) return undefined;
        const text = encoding === 'utf8' ? entry.name : textOfName(Buffer.from(entry.name, 'latin1'));
        const name = this.#wanted(entry, text, prefix);
        if (name !== undefined) names.push(name);
      }
    } catch (error) {
      throw unreadable(folder, error);
    } finally {
      entries?.closeSync();
    }
    return names.sort();
  }

  /** What to call an entry that may be given or entered. The slash makes folders sort as their files' paths do. */
  #wanted(entry: Dirent, name: string, prefix: string): string | undefined {
    const path = prefix + name;
    if (entry.isSymbolicLink()) return this.#target(name, path);
    if (entry.isDirectory()) return this.#filter.mayHold(path) ? `${name}/` : undefined;
    return entry.isFile() && this.#filter.matches(path) ? name : undefined;
  }

  #target(name: string, path: string): string | undefined {
    const isGiven = this.#filter.matches(path);
    const isEntered = this.#filter.mayHold(path);
    if (!isGiven && !isEntered) return undefined;
    const target = this.#follow(this.#locate(path), isGiven);
    if (target?.isDirectory() === true) return isEntered ? `${name}/` : undefined;
    return target?.isFile() === true && isGiven ? name : undefined;
  }

  /** A link to nothing is missed only where it was asked for. */
  #follow(path: string, isGiven: boolean): Stats | undefined {
    try {
      return statSync(systemPath(path));
    } catch (error) {
      if (isGiven) this.#lose(path, unreadable(path, error));
      return undefined;
    }
  }
}

function identityOf(folder: string): string | undefined {
  const { dev, ino } = orUnreadable(folder, () => statSync(systemPath(folder), { bigint: true }));
  return ino === 0n ? undefined : `${dev}:${ino}`;
}
