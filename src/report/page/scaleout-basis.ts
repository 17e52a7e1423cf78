import { sumOf } from '../../math/totals.ts';
import type { InputPipeline } from '../../prediction/scaleout/cluster.ts';
import type { ClusterOptions } from '../../prediction/scaleout/cluster-request.ts';
import type { ScaleoutRequest } from '../../prediction/scaleout/request.ts';
import type { ScaleoutProfile } from '../../prediction/scaleout/step.ts';
import type { ProfiledSteps } from '../../prediction/scaleout/steps-of.ts';
import { ScaleoutJob, stepsFor, tasksOf } from '../../prediction/scaleout/tasks.ts';

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
const MOST_PROFILE = 3e6;

export const isTooLarge = (profiled: ProfiledSteps): boolean => JSON.stringify(profiled).length > MOST_PROFILE;

/** Ops that all simulations of a forecast in a page go through, which takes some seconds. */
const MOST_OPS = 2e7;
/** Steps of a worker, of which half are a warm-up. */
const LEAST_STEPS = 10;

/** Steps of a worker in each simulation, where as many as usual would take too long; undefined: as many as usual. */
export function affordableSteps(
  profile: ScaleoutProfile,
  request: ScaleoutRequest,
  mostOps = MOST_OPS,
): number | undefined {
  const job = new ScaleoutJob(profile, { ...request, steps: LEAST_STEPS });
  const opsOf = (stepsOf: (workers: number, most: number) => number): number =>
    sumOf(tasksOf(request), ({ workers, servers }) => {
      const { most } = job.compiled(servers);
      return workers * stepsOf(workers, most) * most;
    });
  if (opsOf((workers, most) => stepsFor(request, workers, most)) <= mostOps) return undefined;
  return Math.max(LEAST_STEPS, Math.floor(mostOps / opsOf(() => 1)));
}
