import type { RunInfo } from '../report/results/run-info.ts';
import { flatSummary } from '../report/views/flat-summary.ts';
import { runInfoReport } from '../report/views/run-info.ts';
import { openRun } from '../store/run-reader.ts';
import { inspect } from './inspect.ts';
import { readerOf, targetOf } from './targets/registry.ts';
import type { Described, DescribeOptions } from './targets/target.ts';

/** What a recorded run says of itself, also while it is still going on. */
export async function runInfo(folder: string): Promise<RunInfo> {
  const run = openRun(folder);
  return inspect(run, targetOf(run.manifest).inspector());
}

/** What a recorded run, or a file that another program wrote, says of itself. */
export async function describeRun(path: string, options: DescribeOptions = {}): Promise<Described> {
  const reader = readerOf([path]);
  if (reader !== undefined) return reader.files.describe(path, options);
  const result = await runInfo(path);
  return { result, report: () => runInfoReport(result), flat: () => flatSummary(result) };
}
