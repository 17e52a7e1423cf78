import type { MappedFunction, MappedTable, SplitRule } from '../../analysis/attribution/function-map.ts';
import type { TableMetric } from '../../model/function-table.ts';

/** How well an operator's functions are known. */
export interface CaptureRow {
  readonly operator: string;
  /** Runs of the operator that a profiler watched. */
  readonly runs: number;
  readonly interval: number;
  /** ns: a function that takes as long in each run was captured with the asked probability. */
  readonly shortest: number;
  /** Probability of having captured a function that takes a hundredth of the operator's time, and the runs that would give it. */
  readonly hundredth: number | undefined;
  readonly runsWanted: number | undefined;
  readonly functions: number;
  /** ns by the clock, all elements together; undefined where no recording says. */
  readonly elapsed: number | undefined;
}

export interface FunctionMapping {
  readonly schemaVersion: 1;
  readonly source: 'samples' | 'isolated runs';
  readonly split: SplitRule;
  readonly confidence: number;
  readonly capture: readonly CaptureRow[];
  readonly functions: readonly MappedFunction[];
  readonly table?: { readonly metrics: readonly TableMetric[] } & MappedTable;
}
