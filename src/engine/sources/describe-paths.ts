import { createHash } from 'node:crypto';

const SHOWN = 3;

/**
 * Paths as a graph's settings hold them: a few in full, many by their number and digest, so that a recording does not grow
 * with the data set. Of an address neither user nor query is kept: they may hold a secret.
 */
export function describePaths(paths: readonly string[]): Readonly<Record<string, unknown>> {
  const shown = paths.slice(0, SHOWN).map(withoutSecrets);
  if (paths.length <= SHOWN) return { paths: shown };
  const digest = createHash('sha256').update(paths.join('\n')).digest('hex').slice(0, 16);
  return { count: paths.length, first: shown, digest };
}

const withoutSecrets = (path: string): string =>
  /^[a-z][a-z0-9+.-]*:\/\//i.test(path) ? path.replace(/[?#].*$/s, '').replace(/\/\/[^/@]*@/, '//') : path;
