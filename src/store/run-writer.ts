import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { VenturiError } from '../model/errors.ts';
import type { Outcome, RunManifest } from '../model/run.ts';
import { MANIFEST_FILE, orUnwritable, RUN_SUFFIX, writeManifest } from './manifest.ts';

type WithDefault = 'parameters' | 'settings' | 'redacted';

/** What `run.json` must say; facts with a default may be left out. */
export type RunFacts = Omit<RunManifest, WithDefault> & Partial<Pick<RunManifest, WithDefault>>;

/** The parent's hand on a run being recorded: it alone writes `run.json`. */
export class RunWriter {
  readonly folder: string;
  #manifest: RunManifest;

  constructor(folder: string, manifest: RunManifest) {
    this.folder = folder;
    this.#manifest = manifest;
    writeManifest(folder, manifest);
  }

  get manifest(): RunManifest {
    return this.#manifest;
  }

  /** Replaces some facts, as soon as more is known: the graph, a clock snapshot. */
  update(facts: Partial<RunManifest>): void {
    this.#manifest = { ...this.#manifest, ...facts };
    writeManifest(this.folder, this.#manifest);
  }

  /** Sets the final mark. */
  finish(outcome: Outcome): void {
    this.update({ outcome });
  }
}

/** The folder of a run called `path`: its name ends in `.venturi`. */
export const runFolder = (path: string): string => {
  const bare = path.replace(/[\\/]+$/, '');
  return bare.endsWith(RUN_SUFFIX) ? bare : bare + RUN_SUFFIX;
};

/** Makes the folder of a new run and writes its first `run.json`. */
export function createRun(path: string, facts: RunFacts): RunWriter {
  const { parameters = {}, settings = {}, redacted = false } = facts;
  const manifest = { ...facts, parameters, settings, redacted };
  const folder = runFolder(path);
  const present = orUnwritable(folder, () => {
    // By itself: of a read-only disk a recursive call only says that the folder is not there.
    mkdirSync(dirname(folder), { recursive: true });
    if (!existsSync(folder)) mkdirSync(folder);
    return readdirSync(folder);
  });
  if (present.length > 0) {
    const isRun = present.includes(MANIFEST_FILE) || present.includes('lanes');
    throw new VenturiError(
      'VENTURI_RUN_EXISTS',
      isRun ? `The run ${folder} exists already.` : `${folder} exists already and is not empty.`,
      { remedy: `Give the run another name than ${basename(folder)}, or delete that folder first.` },
    );
  }
  orUnwritable(folder, () => mkdirSync(join(folder, 'lanes')));
  return new RunWriter(folder, manifest);
}
