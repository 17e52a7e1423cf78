import type { ScaleoutRequest } from './request.ts';
import type { ProfiledSteps } from './steps-of.ts';
import { ScaleoutJob } from './tasks.ts';

/**
 * Seconds between two steps of a worker, from the examples per second of one that was not traced: what its steps take by simulation falls short of that by the
 * time in which a program hands over to its runtime and back. A profiler notes that down as part of no step, and takes some of it for itself. 0 where
 * simulated steps take longer than those measured.
 */
export function pauseOf(
  { profile, servers }: ProfiledSteps,
  request: ScaleoutRequest,
  measured: { readonly alone: number; readonly bandwidth: number },
): number {
  const { bandwidth, alone } = measured;
  const asProfiled = { servers: [servers], partition: 'recorded', order: 'recorded', bandwidth } as const;
  const others = { hostBandwidths: undefined, speeds: [], straggling: undefined, input: undefined, pause: 0 };
  const job = new ScaleoutJob(profile, { ...request, ...asProfiled, ...others, workers: [1] });
  return Math.max(0, profile.batchSize / alone - job.profiledSeconds(servers));
}
