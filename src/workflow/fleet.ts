import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { VenturiError } from '../model/errors.ts';
import type { Fleet, FleetRun } from '../report/results/fleet.ts';
import type { AnalyseOptions } from './analyse.ts';
import { diagnose } from './diagnose.ts';
import { type DiagnoseProgramOptions, diagnoseProgram } from './diagnose-program.ts';
import { isProgramRun } from './read-batches.ts';

const SUFFIX = '.venturi';

/** A folder that is no run itself and has runs in it, at any depth. */
export function isFleet(path: string): boolean {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  if (!isFolder || path.replace(/\/+$/, '').endsWith(SUFFIX)) return false;
  if (statSync(`${path.replace(/\/+$/, '')}${SUFFIX}`, { throwIfNoEntry: false }) !== undefined) return false;
  return runsIn(path).length > 0;
}

function runsIn(folder: string, depth = 4): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter(entry => entry.isDirectory())
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap(({ name }) => {
      const path = join(folder, name);
      if (name.endsWith(SUFFIX)) return [path];
      return depth > 0 && name !== 'node_modules' && !name.startsWith('.') ? runsIn(path, depth - 1) : [];
    });
}

export async function diagnoseFleet(
  folder: string,
  { epochs, ...options }: AnalyseOptions & Pick<DiagnoseProgramOptions, 'epochs'> = {},
): Promise<Fleet> {
  const runs: FleetRun[] = [];
  for (const path of runsIn(folder)) {
    try {
      if (isProgramRun(path)) {
        runs.push({
          folder: path,
          program: await diagnoseProgram(path, { disk: options.disk, epochs, withoutSamples: true }),
        });
      } else runs.push({ folder: path, diagnosis: await diagnose(path, options) });
    } catch (error) {
      if (!(error instanceof VenturiError)) throw error;
      runs.push({ folder: path, failure: { code: error.code, message: error.message } });
    }
  }
  return { schemaVersion: 1, folder, runs };
}
