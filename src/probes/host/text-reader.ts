import { readFileSync } from 'node:fs';

/** Reads a small text file of /proc or /sys; undefined where it is not there or may not be read. */
export type TextReader = (path: string) => string | undefined;

export const readText: TextReader = path => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // A missing counter is a fact about the machine, not a failure: macOS has none of these files.
    return undefined;
  }
};
