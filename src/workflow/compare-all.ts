import { VenturiError } from '../model/errors.ts';
import type { PageSection } from '../report/page/document.ts';
import { planComparisonReport } from '../report/views/plan-comparison.ts';
import { openRun } from '../store/run-reader.ts';
import type { Answer } from './answer.ts';
import { comparePlans } from './compare-plans.ts';
import { readerOf, targetOfAll } from './targets/registry.ts';
import type { CompareOptions, Target } from './targets/target.ts';

/** Runs, or plans, against the first of them. */
export async function compareAll(paths: readonly string[], options: CompareOptions = {}): Promise<Answer> {
  if (paths.every(path => path.endsWith('.json')) && !paths.some(isTrace)) {
    const result = comparePlans(paths);
    return { result, report: () => planComparisonReport(result) };
  }
  return targetComparing(paths).compare(paths, options);
}

/** Runs against the first of them, in a page. */
export const comparisonSection = (paths: readonly string[]): Promise<PageSection> =>
  targetComparing(paths).compared(paths);

function targetComparing(paths: readonly string[]): Target {
  const reader = readerOf(paths);
  if (reader !== undefined) return reader;
  refuseMixed(paths);
  return targetOfAll(paths.map(path => openRun(path).manifest));
}

const isTrace = (path: string): boolean => readerOf([path]) !== undefined;

/** A trace has steps and a recording operators: nothing in one has its like in the other. */
function refuseMixed(paths: readonly string[]): void {
  const trace = paths.find(isTrace);
  if (trace === undefined) return;
  const other = paths.find(path => !isTrace(path)) ?? '';
  // What is missing, or cannot be read, is said first.
  if (!other.endsWith('.json')) openRun(other);
  throw new VenturiError('VENTURI_USAGE', `${trace} is a trace of training steps, and ${other} is none.`, {
    remedy: 'Compare traces with traces, recordings with recordings, and plans with plans.',
  });
}
