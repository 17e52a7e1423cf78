import { join } from 'node:path';
import { replaceFile } from '../files/atomic-file.ts';
import { VenturiError } from '../model/errors.ts';
import type { RunManifest } from '../model/run.ts';

export const MANIFEST_FILE = 'run.json';
export const RUN_SUFFIX = '.venturi';

/** Replaces `run.json` whole: a reader sees the old one or the new one. The recorded run does not wait for the disk. */
export function writeManifest(folder: string, manifest: RunManifest): void {
  const path = join(folder, MANIFEST_FILE);
  try {
    replaceFile(path, `${JSON.stringify(manifest, undefined, 2)}\n`, { durable: false });
  } catch (error) {
    throw unwritable(path, error);
  }
}

export function unwritable(path: string, error: unknown): VenturiError {
  return new VenturiError('VENTURI_RUN_UNWRITABLE', `${path} cannot be written: ${(error as Error).message}.`, {
    remedy: 'Choose a place for the run that you may write to and that has space left.',
    cause: error,
  });
}
