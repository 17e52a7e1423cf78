import { OperatorSummary } from '../analysis/rates/operators.ts';
import type { ChannelRow, LaneRow, OperatorRow, RunTotals } from '../analysis/rates/rows.ts';
import type { RunManifest } from '../model/run.ts';
import { foldRecords } from '../store/fold.ts';
import { openRun } from '../store/run-reader.ts';
import { LatestMoment } from './latest-moment.ts';

export interface RunInfo {
  readonly schemaVersion: 1;
  readonly name: string;
  readonly folder: string;
  readonly complete: boolean;
  readonly status: string;
  readonly manifest: RunManifest;
  readonly lanes: number;
  readonly seconds: number;
  readonly operators: readonly OperatorRow[];
  readonly lanesRows: readonly LaneRow[];
  readonly channels: readonly ChannelRow[];
  readonly totals: RunTotals;
  readonly problems: readonly string[];
}

/** What a recorded run says of itself, also while it is still going on. */
export async function runInfo(folder: string): Promise<RunInfo> {
  const run = openRun(folder);
  const summary = new OperatorSummary();
  const latest = new LatestMoment();
  await foldRecords(run.records(), [summary, latest]);
  const { manifest } = run;
  const end = latest.endOf(manifest);
  const rows = summary.result(manifest.graph, end);
  return {
    schemaVersion: 1,
    name: manifest.name,
    folder: run.folder,
    complete: run.complete,
    status: manifest.outcome?.status ?? 'incomplete',
    manifest,
    lanes: run.lanes.length,
    seconds: end / 1e9,
    operators: rows.operators,
    lanesRows: rows.lanes,
    channels: rows.channels,
    totals: rows.totals,
    problems: [...run.problems, ...(manifest.outcome?.warnings ?? [])],
  };
}
