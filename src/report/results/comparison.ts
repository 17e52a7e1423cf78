import type { Band } from '../../analysis/profile/band.ts';
import type { Activity } from '../../analysis/profile/summary.ts';
import type { Finding } from '../../findings/registry.ts';
import type { Interval } from '../../math/statistics.ts';
import type { End } from '../../model/end.ts';
import type { Graph } from '../../model/graph.ts';
import type { Warning } from '../../model/warnings.ts';

export interface ComparedRun {
  readonly name: string;
  readonly folder: string;
  readonly seconds: number;
  readonly rate: Interval;
  /** Where its elements are counted. */
  readonly ends: readonly End[];
  /** Rate / rate of the first run. */
  readonly ratio: Interval;
  /** The interval of that ratio holds 1. */
  readonly withinNoise: boolean;
  readonly coresBusy: number;
  readonly coresUsable: number;
  /** CPU seconds per element at an end. */
  readonly cpuDemand: Interval;
  readonly verdict: Finding;
  readonly graph: Graph;
}

/** An operator in all the runs that have it; undefined where a run has not. */
export interface ComparedOperator {
  readonly id: string;
  readonly label: string;
  /** CPU seconds per element of its own. */
  readonly cpuPerElement: readonly (Interval | undefined)[];
  readonly lanes: readonly (number | undefined)[];
  /** CPU per element of the last run that has it / of the first. */
  readonly ratio: Interval | undefined;
  readonly withinNoise: boolean;
}

/** Runs of any target against the first of them. */
export interface Comparison {
  readonly schemaVersion: 1;
  readonly runs: readonly { readonly name: string; readonly folder: string }[];
  /** Why the runs may not be comparable. */
  readonly cautions: readonly Warning[];
}

/** Samples of an operator in the runs that were profiled; undefined where one was not, or has not got it. */
export interface ComparedShare {
  readonly id: string;
  readonly label: string;
  readonly shares: readonly (ProfiledShare | undefined)[];
  /** The ranges of the first and the last that have it overlap. */
  readonly withinNoise: boolean;
}

export interface ProfiledShare {
  readonly share: number;
  readonly band: Band;
  readonly nsPerRow: number | undefined;
}

/** Runs that were profiled, on one axis of time. */
export interface ComparedProfiles {
  readonly operators: readonly ComparedShare[];
  /** By run: undefined where it was not profiled. */
  readonly activity: readonly (Activity | undefined)[];
}

export interface PipelineComparison extends Comparison {
  readonly runs: readonly ComparedRun[];
  readonly operators: readonly ComparedOperator[];
  /** Where two of the runs or more were profiled. */
  readonly profiles?: ComparedProfiles;
}
