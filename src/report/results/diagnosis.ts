import type { ConsumerRates, CpuUse, OperatorRates, StageRates } from '../../analysis/rates/rates.ts';
import type { OperatorRow } from '../../analysis/rates/rows.ts';
import type { OperatorSize } from '../../analysis/sizes/sizes.ts';
import type { Findings } from '../../findings/judge.ts';
import type { Interval } from '../../math/statistics.ts';
import type { End } from '../../model/end.ts';
import type { Graph } from '../../model/graph.ts';
import type { Warning } from '../../model/warnings.ts';
import type { RunHeading } from './run-heading.ts';

/** A period with one bottleneck; `place` is the kind and id of a stage or channel: `stage:decode`. */
export interface NarrowSegment {
  readonly fromSeconds: number;
  readonly toSeconds: number;
  readonly place: string | undefined;
}

/** Verdict on a recorded run and other findings, whatever was recorded. */
export interface Diagnosis extends RunHeading, Findings {
  readonly seconds: number;
  /** The command that was recorded. */
  readonly command: readonly string[];
  readonly problems: readonly Warning[];
}

/** Of a pipeline on our engine. */
export interface PipelineDiagnosis extends Diagnosis {
  /** Elements per second that came to their ends, over the steady part. */
  readonly rate: Interval;
  /** The one operator at which elements are counted; undefined where there are several. */
  readonly root: string | undefined;
  /** All ends: the consumer and the sinks. */
  readonly ends: readonly End[];
  readonly steady: { readonly fromSeconds: number; readonly toSeconds: number };
  readonly cpu: CpuUse;
  readonly consumer: ConsumerRates | undefined;
  readonly operators: readonly OperatorRates[];
  readonly rows: readonly OperatorRow[];
  readonly stages: readonly StageRates[];
  readonly sizes: readonly OperatorSize[];
  readonly windowSeconds: number;
  readonly segments: readonly NarrowSegment[];
  readonly graph: Graph;
}
