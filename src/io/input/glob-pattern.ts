import picomatch from 'picomatch';
import type { WalkFilter } from './glob-walk.ts';

/** Which files a set of patterns names, and where to look for them. */
export interface PatternSet extends WalkFilter {
  /** Folders to walk, none inside another, in order; '' is the current one. */
  readonly bases: readonly string[];
}

/** Patterns that begin with ! take away from what the others name. */
export function patternSet(patterns: readonly string[]): PatternSet {
  const wanted = patterns.filter(pattern => !pattern.startsWith('!'));
  const unwanted = patterns.filter(pattern => pattern.startsWith('!')).map(pattern => clean(pattern.slice(1)));
  const included = wanted.map(pattern => new Included(clean(pattern)));
  const isExcluded = unwanted.length === 0 ? () => false : picomatch(unwanted, { dot: true });
  return {
    bases: outermost(included.map(({ base }) => base)),
    matches: path => included.some(pattern => pattern.matches(path)) && !isExcluded(path),
    mayHold: folder => included.some(pattern => pattern.mayHold(folder)),
  };
}

/** True where some character of the pattern stands for others. */
export const isPattern = (text: string): boolean => text.startsWith('!') || picomatch.scan(text).isGlob;

const clean = (pattern: string): string => pattern.replace(/^(?:\.\/+)+/, '').replace(/(?<=[^/])\/{2,}/g, '/');

class Included {
  readonly base: string;
  readonly matches: (path: string) => boolean;
  /** For each level of folders whether a name may stand there; `undefined` where any number of levels may follow. */
  readonly #levels: readonly (((name: string) => boolean) | undefined)[];

  constructor(pattern: string) {
    this.matches = picomatch(pattern);
    const { base, isGlob } = picomatch.scan(pattern);
    // Without anything to stand for others it names a file, which lies in its folder.
    this.base = isGlob ? base : folderOf(pattern);
    this.#levels = levelsOf(pattern);
  }

  mayHold(folder: string): boolean {
    const names = folder.split('/');
    for (const [level, name] of names.entries()) {
      // The last level is the file's own.
      if (level >= this.#levels.length - 1) return this.#levels.includes(undefined);
      const fits = this.#levels[level];
      if (fits === undefined) return true;
      if (!fits(name)) return false;
    }
    return true;
  }
}

function levelsOf(pattern: string): (((name: string) => boolean) | undefined)[] {
  // A slash inside braces or brackets does not part levels: then every folder is looked into.
  if (/[{([][^})\]]*\//.test(pattern)) return [undefined];
  return pattern.split('/').map(part => (part.includes('**') ? undefined : levelMatcher(part)));
}

/** The first level of an absolute path has no name. */
const levelMatcher = (part: string): ((name: string) => boolean) =>
  picomatch.scan(part).isGlob ? picomatch(part) : name => name === part;

const folderOf = (path: string): string => {
  const slash = path.lastIndexOf('/');
  return slash < 0 ? '' : slash === 0 ? '/' : path.slice(0, slash);
};

function outermost(bases: readonly string[]): string[] {
  const inside = (base: string, outer: string): boolean =>
    base !== outer &&
    (outer === '' ? !/^(\/|\.\.(\/|$))/.test(base) : base.startsWith(outer.endsWith('/') ? outer : `${outer}/`));
  const distinct = [...new Set(bases)];
  return distinct.filter(base => !distinct.some(outer => inside(base, outer))).sort();
}
