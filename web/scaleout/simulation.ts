import { clusterAssumptionsOf } from '../../src/prediction/scaleout/assumptions.ts';
import { type ClusterOptions, requestFor } from '../../src/prediction/scaleout/cluster-request.ts';
import { forecastOf, type ScaleoutForecast } from '../../src/prediction/scaleout/forecast.ts';
import { ScaleoutJob, tasksOf } from '../../src/prediction/scaleout/tasks.ts';
import type { ScaleoutBasis } from '../../src/report/page/scaleout-basis.ts';
import type { ClusterPrediction } from '../../src/report/results/cluster-prediction.ts';

/** What of a prediction depends on what is asked. */
export type SimulatedClusters = ScaleoutForecast & Pick<ClusterPrediction, 'whatIf' | 'clusterAssumptions'>;

/** What `venturi predict --replicas` says for the same options; it takes as long. */
export function simulateClusters(
  { profiled, input }: ScaleoutBasis,
  options: ClusterOptions,
  onProgress: (done: number, of: number) => void = () => undefined,
): SimulatedClusters {
  const request = requestFor(options, profiled, undefined, input);
  const job = new ScaleoutJob(profiled.profile, request);
  const tasks = tasksOf(request);
  const results = tasks.map((task, at) => {
    const simulated = job.run(task);
    onProgress(at + 1, tasks.length);
    return { ...task, simulated };
  });
  return {
    whatIf: request,
    ...forecastOf(job, results),
    clusterAssumptions: clusterAssumptionsOf(request, profiled.profile.steps.length, options),
  };
}
