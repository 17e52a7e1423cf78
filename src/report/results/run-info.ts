import type { AttributionSummary } from '../../analysis/attribution/summary.ts';
import type { MemoryGrowth } from '../../analysis/batches/memory-growth.ts';
import type { StepPhases } from '../../analysis/batches/phases.ts';
import type { BatchSummary } from '../../analysis/batches/summary.ts';
import type { ChannelRow, LaneRow, OperatorRow, RunTotals } from '../../analysis/rates/rows.ts';
import type { RunManifest } from '../../model/run.ts';
import type { Warning } from '../../model/warnings.ts';
import type { RunHeading } from './run-heading.ts';

export interface RunInfo extends RunHeading {
  readonly manifest: RunManifest;
  readonly lanes: number;
  readonly seconds: number;
  readonly operators: readonly OperatorRow[];
  readonly lanesRows: readonly LaneRow[];
  readonly channels: readonly ChannelRow[];
  readonly totals: RunTotals;
  /** Of a program with DataLoaders: its batches. */
  readonly batches?: BatchSummary;
  /** And the phases of its steps, by the steps that were watched. */
  readonly steps?: readonly StepPhases[];
  /** And the memory growth of its processes, of those that were recorded for long enough. */
  readonly memory?: readonly MemoryGrowth[];
  /** Where a profiler ran beside it: samples by operator; of each the symbols with most samples. */
  readonly samples?: AttributionSummary;
  readonly problems: readonly Warning[];
}
