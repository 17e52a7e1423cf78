import { basename, join } from 'node:path';
import { z } from 'zod';
import { readRegularText } from '../files/regular-file.ts';
import { VenturiError } from '../model/errors.ts';
import { graphWithTraits } from '../model/kind-traits.ts';
import { type RunManifest, RunManifestSchema } from '../model/run.ts';
import { RUN_VERSION } from '../model/run-version.ts';
import { MANIFEST_FILE } from './manifest.ts';

/** Thousands of operators and lanes take a few MB. */
const MOST_BYTES = 64 * 2 ** 20;

/** The manifest as read; `lost` says in a sentence what is wrong with it, and stand-ins are in the place of the rest. */
export interface ReadManifest {
  readonly manifest: RunManifest;
  readonly lost: string | undefined;
}

/** Reads `run.json`. `standIn` takes the place of what it lacks. */
export function readManifest(folder: string, standIn: RunManifest): ReadManifest {
  let raw: unknown;
  try {
    raw = JSON.parse(readRegularText(join(folder, MANIFEST_FILE), MOST_BYTES));
  } catch (error) {
    if (error instanceof SyntaxError) return { manifest: standIn, lost: `run.json is not whole: ${error.message}.` };
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    return {
      manifest: standIn,
      lost: missing ? 'run.json is missing.' : `run.json cannot be read: ${(error as Error).message}.`,
    };
  }
  const facts: Record<string, unknown> = typeof raw === 'object' && raw !== null ? { ...raw } : {};
  if (typeof facts.version === 'number' && facts.version > RUN_VERSION) {
    throw new VenturiError(
      'VENTURI_RUN_TOO_NEW',
      `${basename(folder)} was written in version ${facts.version} of the run format; this program reads up to ${RUN_VERSION}.`,
      { remedy: `Update venturi (it was written by ${String(facts.writer ?? 'a newer one')}).` },
    );
  }
  if (facts.graph !== undefined) facts.graph = graphWithTraits(facts.graph);
  const parsed = RunManifestSchema.safeParse(facts);
  if (parsed.success) return { manifest: parsed.data, lost: undefined };
  return {
    manifest: salvage(facts, standIn),
    lost: `run.json departs from the format: ${z.prettifyError(parsed.error).replaceAll(/\s+/g, ' ')}.`,
  };
}

/** `run.json` as it stands, for whoever follows a run; undefined while there is none that is whole. */
export function peekManifest(folder: string): RunManifest | undefined {
  try {
    return RunManifestSchema.safeParse(JSON.parse(readRegularText(join(folder, MANIFEST_FILE), MOST_BYTES))).data;
  } catch {
    return undefined;
  }
}

/** Keeps every fact that is sound by itself. */
function salvage(facts: Readonly<Record<string, unknown>>, standIn: RunManifest): RunManifest {
  const sound: Record<string, unknown> = { ...standIn };
  for (const [key, schema] of Object.entries(RunManifestSchema.shape)) {
    const parsed = schema.safeParse(facts[key]);
    if (parsed.success && parsed.data !== undefined) sound[key] = parsed.data;
  }
  return sound as RunManifest;
}
