import type { InputPipeline } from '../../prediction/scaleout/cluster.ts';
import type { ClusterOptions } from '../../prediction/scaleout/cluster-request.ts';
import type { ProfiledSteps } from '../../prediction/scaleout/steps-of.ts';

/** From which a page forecasts other clusters: simulations of it give what `venturi predict --replicas` prints. */
export interface ScaleoutBasis {
  readonly profiled: ProfiledSteps;
  /** What a recording of the same job delivers, where there is one. */
  readonly input: InputPipeline | undefined;
  /** What the section's own forecast was asked for. */
  readonly options: ClusterOptions;
}

/** Bytes per second of a usual host's network card, 10 Gbit/s: a trace does not tell the one of a cluster. */
export const USUAL_BANDWIDTH = 1.25e9;

/** Characters of JSON that profiled steps may take in a page. */
export const MOST_PROFILE = 3e6;
