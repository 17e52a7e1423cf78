import { join } from 'node:path';
import { replaceFile } from '../files/atomic-file.ts';
import { VenturiError } from '../model/errors.ts';
import type { RunManifest } from '../model/run.ts';

export const MANIFEST_FILE = 'run.json';
export const RUN_SUFFIX = '.venturi';

/** Replaces `run.json` whole: a reader sees the old one or the new one. The recorded run does not wait for the disk. */
export function writeManifest(folder: string, manifest: RunManifest): void {
  const path = join(folder, MANIFEST_FILE);
  orUnwritable(path, () => replaceFile(path, `${JSON.stringify(manifest, undefined, 2)}\n`, { durable: false }));
}

/** Does `write`, with an error that says what of the run could not be written. */
export function orUnwritable<T>(path: string, write: () => T): T {
  try {
    return write();
  } catch (error) {
    throw new VenturiError('VENTURI_RUN_UNWRITABLE', `${path} cannot be written: ${(error as Error).message}.`, {
      remedy: 'Choose a place for the run that you may write to and that has space left.',
      cause: error,
    });
  }
}
