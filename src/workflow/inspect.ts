import { withFewSymbols } from '../analysis/attribution/summary.ts';
import { OperatorSummary } from '../analysis/rates/operators.ts';
import type { RunTotals } from '../analysis/rates/rows.ts';
import type { Graph } from '../model/graph.ts';
import type { RunManifest } from '../model/run.ts';
import type { RunInfo } from '../report/results/run-info.ts';
import { type Fold, foldRecords } from '../store/fold.ts';
import { openRun, type Run } from '../store/run-reader.ts';
import { attributeSamples } from './attribute.ts';
import { LatestMoment } from './latest-moment.ts';
import { headingOf, problemsOf } from './run-heading.ts';

/** What a target reads of its runs beside what is told of every run. */
export interface Inspector {
  readonly folds: readonly Fold[];
  /** Ask when all records have been folded. */
  result(manifest: RunManifest): Inspected;
}

export interface Inspected {
  /** Operators with counters of their own. */
  readonly graph: Graph | undefined;
  totals(counted: RunTotals): RunTotals;
  readonly more: Partial<RunInfo>;
}

/** Nothing beside. */
export const PLAIN: Inspector = {
  folds: [],
  result: ({ graph }) => ({ graph, totals: counted => counted, more: {} }),
};

/** The rest is told by `venturi samples`. */
export const SYMBOLS_KEPT = 10;

export async function inspect(run: Run, inspector: Inspector): Promise<RunInfo> {
  const { manifest } = run;
  const summary = new OperatorSummary();
  const latest = new LatestMoment();
  await foldRecords(run.records(), [summary, latest, ...inspector.folds]);
  const end = latest.endOf(manifest);
  const { graph, totals, more } = inspector.result(manifest);
  const rows = summary.result(graph, end);
  const samples = await attributeSamples(run, { durationNs: end });
  return {
    ...headingOf(run),
    manifest,
    lanes: run.lanes.length,
    seconds: end / 1e9,
    operators: rows.operators,
    lanesRows: rows.lanes,
    channels: rows.channels,
    totals: totals(rows.totals),
    ...more,
    ...(samples === undefined ? {} : { samples: withFewSymbols(samples, SYMBOLS_KEPT) }),
    problems: problemsOf(run),
  };
}

/** Of a run that is known to be of our engine: no other target has to be loaded. */
export const pipelineInfo = (folder: string): Promise<RunInfo> => inspect(openRun(folder), PLAIN);
