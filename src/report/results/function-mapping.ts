import type { MappedFunction, MappedTable, SplitRule } from '../../analysis/attribution/function-map.ts';
import type { TableMetric } from '../../model/function-table.ts';

/** Completeness of an operator's functions. */
export interface CaptureRow {
  readonly operator: string;
  /** Runs of the operator that a profiler watched. */
  readonly runs: number;
  readonly interval: number;
  /** Time per run, ns, from which on a function was captured with the requested probability. */
  readonly shortest: number;
  /** Probability of having captured a function with 1 % of the operator's time, and the runs that give the requested one. */
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
