import type { EventCount } from '../../analysis/attribution/summary.ts';
import type { Distribution } from '../../analysis/batches/distribution.ts';
import type { LateShare } from '../../analysis/batches/late-shares.ts';
import type { Bound } from '../../analysis/batches/verdict.ts';
import type { ElementsPerSecond, Ns, Share } from '../../model/units.ts';
import type { Comparison } from './comparison.ts';

/** One recording of a program in a series, represented by the loader with the longest waits. */
export interface SeriesRun {
  readonly name: string;
  readonly folder: string;
  readonly loader: string;
  readonly workers: number;
  readonly batchSize: number | undefined;
  readonly elements: number;
  /** From the first batch asked for to the end of the last pass. */
  readonly elapsed: Ns;
  readonly elementsPerSecond: ElementsPerSecond;
  /** CPU of all processes that consume or prepare; undefined where the system does not tell. */
  readonly cpu: Ns | undefined;
  /** CPU of the preparing threads alone. */
  readonly preparationCpu: Ns | undefined;
  readonly waitShare: Share;
  readonly bound: Bound;
  /** T1 of its batches, and shares of batches with a long wait or delay. */
  readonly preparation: Distribution;
  readonly late: readonly LateShare[];
}

/** Total cost of an operator in one run. */
export interface SeriesCost {
  /** Wall time, queueing for a core included. */
  readonly elapsed: Ns;
  /** On a core, by samples; undefined where none were taken. */
  readonly cpu: Ns | undefined;
  readonly events: readonly EventCount[];
}

export interface SeriesOperator {
  readonly operator: string;
  /** One for each run; undefined where a run has it not. */
  readonly costs: readonly (SeriesCost | undefined)[];
}

export interface LoaderSeries extends Comparison {
  readonly runs: readonly SeriesRun[];
  readonly operators: readonly SeriesOperator[];
}
