import type { StepAssumption } from '../../model/step-trace.ts';
import type { ClusterAssumption } from '../../prediction/scaleout/assumptions.ts';
import type { Fit } from '../../prediction/scaleout/fit.ts';
import type { ScaleoutForecast } from '../../prediction/scaleout/forecast.ts';
import type { StepPhases, Synchrony } from '../../prediction/scaleout/phases.ts';
import type { ScaleoutRequest } from '../../prediction/scaleout/request.ts';
import type { RunForecast } from './prediction.ts';

/** What training would come to on clusters, from one worker's profiled steps. */
export interface ClusterPrediction extends RunForecast, ScaleoutForecast {
  /** What throughput counts: examples where the size of a batch was given. */
  readonly unit: 'examples' | 'steps';
  /** Profiled steps, and their mean time in seconds. */
  readonly profiled: { readonly steps: number; readonly seconds: number };
  /** With all that was not asked for. */
  readonly whatIf: ScaleoutRequest;
  readonly fit: Fit | undefined;
  /** What is not in the trace, or was assumed of the cluster. */
  readonly assumptions: readonly StepAssumption[];
  readonly clusterAssumptions: readonly ClusterAssumption[];
  readonly timeline: ClusterTimeline | undefined;
}

/** The first steps on the largest cluster, which were written to a file for Perfetto. */
export interface ClusterTimeline {
  readonly file: string;
  readonly workers: number;
  readonly servers: number;
  readonly phases: readonly StepPhases[];
  readonly synchrony: readonly Synchrony[];
}
