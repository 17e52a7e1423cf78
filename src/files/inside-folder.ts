import { lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';

/** Whether a path, also one that is not there yet, leads to `folder` or below it: by `..`, links and all. */
export function isInside(folder: string, path: string): boolean {
  const between = relative(destination(folder), destination(path));
  return between !== '..' && !between.startsWith(`..${sep}`) && !isAbsolute(between);
}

/** Where a path leads: links are followed as far as there is something. Throws the system's own errors. */
function destination(path: string): string {
  const full = resolve(path);
  try {
    return realpathSync(full);
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    // A dangling link is an error: its target may be created later, anywhere.
    if (!isMissing || dirname(full) === full || isLink(full)) throw error;
    return join(destination(dirname(full)), basename(full));
  }
}

const isLink = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
