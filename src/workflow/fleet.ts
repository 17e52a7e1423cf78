import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { entryAt } from '../files/entry.ts';
import { VenturiError } from '../model/errors.ts';
import type { Fleet, FleetRun } from '../report/results/fleet.ts';
import { fleetReport, type JudgedRun } from '../report/views/fleet.ts';
import { openRun } from '../store/run-reader.ts';
import type { Answer } from './answer.ts';
import { targetOf } from './targets/registry.ts';
import type { JudgeOptions } from './targets/target.ts';

const SUFFIX = '.venturi';

/** A folder that is no run itself and has runs in it, at any depth. */
export function isFleet(path: string): boolean {
  const isFolder = entryAt(path)?.isDirectory() === true;
  if (!isFolder || path.replace(/\/+$/, '').endsWith(SUFFIX)) return false;
  if (entryAt(`${path.replace(/\/+$/, '')}${SUFFIX}`) !== undefined) return false;
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

export const diagnoseFleet = async (folder: string, options: JudgeOptions = {}): Promise<Fleet> =>
  (await fleetAnswer(folder, options)).result;

export async function fleetAnswer(folder: string, options: JudgeOptions): Promise<Answer<Fleet>> {
  const runs: FleetRun[] = [];
  const rows: JudgedRun[] = [];
  for (const path of runsIn(folder)) {
    try {
      const target = targetOf(openRun(path).manifest);
      const { result, row } = await target.judge(path, { ...options, withoutSamples: true });
      runs.push(
        target.inFolder === 'program' ? { folder: path, program: result } : { folder: path, diagnosis: result },
      );
      rows.push({ ...row(), folder: path });
    } catch (error) {
      if (!(error instanceof VenturiError)) throw error;
      runs.push({ folder: path, failure: { code: error.code, message: error.message } });
    }
  }
  const result: Fleet = { schemaVersion: 1, folder, runs };
  return { result, report: () => fleetReport(result, rows) };
}
