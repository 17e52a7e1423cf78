import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where examples keep the data they make, unless a parameter names another folder. */
export const EXAMPLES = join(tmpdir(), 'venturi-examples');

/**
 * The folder `name` in `folder`, filled by `make` the first time. It appears whole: a program that was interrupted leaves
 * nothing that looks finished. Every thread builds its pipeline and so comes by here; all but the first find it there.
 */
export function madeOnce(folder: string, name: string, make: (into: string) => void): string {
  const place = join(folder, name);
  if (existsSync(place)) return place;
  mkdirSync(folder, { recursive: true });
  const draft = mkdtempSync(`${place}.`);
  make(draft);
  try {
    renameSync(draft, place);
  } catch (error) {
    rmSync(draft, { recursive: true });
    // Another program may have been quicker with the same data.
    if (!existsSync(place)) throw error;
  }
  return place;
}
