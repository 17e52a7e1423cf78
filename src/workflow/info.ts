import { OperatorSummary } from '../analysis/rates/operators.ts';
import type { ChannelRow, LaneRow, OperatorRow, RunTotals } from '../analysis/rates/rows.ts';
import { RECORD_KIND } from '../model/record.ts';
import type { RunManifest } from '../model/run.ts';
import type { RecordBlock } from '../model/span.ts';
import { foldRecords } from '../store/fold.ts';
import { openRun } from '../store/run-reader.ts';

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
  const end =
    manifest.outcome === undefined ? latest.ns : Number(BigInt(manifest.outcome.monotonic) - BigInt(manifest.start));
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

/** The end of a run that has no final mark: its last counter. */
class LatestMoment {
  ns = 0;

  block(block: RecordBlock): void {
    for (let at = 0; at < block.count; at++) {
      if (block.kind[at] === RECORD_KIND.counter) this.ns = Math.max(this.ns, block.start[at] ?? 0);
    }
  }
}
