import type { RunInfo } from '../report/results/run-info.ts';
import { openRun } from '../store/run-reader.ts';
import { inspect } from './inspect.ts';
import { targetOf } from './targets/registry.ts';

/** What a recorded run says of itself, also while it is still going on. */
export async function runInfo(folder: string): Promise<RunInfo> {
  const run = openRun(folder);
  return inspect(run, targetOf(run.manifest).inspector());
}
