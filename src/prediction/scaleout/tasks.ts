import { Random } from '../../math/random.ts';
import { allReduceTime, withAllReduce } from './all-reduce.ts';
import type { Cluster } from './cluster.ts';
import { type CompiledSteps, compileSteps } from './compile.ts';
import { clusterOf } from './defaults.ts';
import type { ScaleoutRequest } from './request.ts';
import { type Simulated, simulate } from './simulate.ts';
import type { ScaleoutProfile } from './step.ts';

/** One simulation of a forecast. Plain data, so that tasks can be handed to threads. */
export interface ScaleoutTask {
  readonly servers: number;
  readonly workers: number;
  /** Whether workers begin together, or spread over a step. */
  readonly start: 'joint' | 'staggered';
  /** Number of the resample; 0: steps as profiled. */
  readonly resample: number;
}

/** Steps before throughput is counted (the paper's §4.1). */
const WARM_UP_STEPS = 50;
/** Steps of all workers together that are counted, and of each as many as it warms up by: a standard error of about 0.1 % for steps that vary by a few percent. */
const COUNTED_STEPS = 1000;
/** Where workers wait for each other, one step is like the next: a simulation takes about so many events, half a second or so. */
const WAITING_EVENTS = 2e6;
/** Steps of each worker then, at least. */
const LEAST_WAITING_STEPS = 10;

export function tasksOf({ workers, servers, mode, resamples }: ScaleoutRequest): ScaleoutTask[] {
  const clusters = servers.flatMap(each => workers.map(count => ({ servers: each, workers: count })));
  return clusters.flatMap(cluster => [
    { ...cluster, start: 'joint', resample: 0 },
    // Where all wait for each other in every step, it does not matter when they began.
    ...(cluster.workers > 1 && mode === 'async' ? [{ ...cluster, start: 'staggered', resample: 0 } as const] : []),
    ...Array.from({ length: resamples }, (_, at) => ({ ...cluster, start: 'joint', resample: at + 1 }) as const),
  ]);
}

/** Profiled steps made ready for simulations. */
export class ScaleoutJob {
  readonly request: ScaleoutRequest;
  readonly #profile: ScaleoutProfile;
  /** By number of servers. */
  readonly #compiled = new Map<number, CompiledSteps>();
  readonly #stepSeconds: number;

  constructor(profile: ScaleoutProfile, request: ScaleoutRequest) {
    this.request = request;
    this.#profile = request.mode === 'allreduce' ? withAllReduce(profile, request.bucketBytes) : profile;
    const alone = this.run({ servers: request.servers[0] ?? 1, workers: 1, start: 'joint', resample: 0 });
    this.#stepSeconds = profile.batchSize / alone.throughput;
  }

  compiled(servers: number): CompiledSteps {
    const known = this.#compiled.get(servers);
    if (known !== undefined) return known;
    const { partition, order, overhead, parse, seed } = this.request;
    const made = compileSteps(this.#profile, { servers, partition, order, overhead, parse, orderSeed: seed });
    this.#compiled.set(servers, made);
    return made;
  }

  cluster({ servers, workers, start }: ScaleoutTask): Cluster {
    const { mode, bandwidth, hostBandwidth = bandwidth, perHost, window, multiplexing, lanes } = this.request;
    const { speeds, straggling, input } = this.request;
    const isStaggered = start === 'staggered';
    return {
      ...clusterOf({ workers, servers, bandwidth, perHost, window, multiplexing, lanes, mode }),
      hostBandwidths: Array.from({ length: Math.ceil(workers / perHost) }, () => hostBandwidth),
      speeds: Array.from({ length: workers }, (_, worker) => speeds[worker] ?? 1),
      straggling,
      input,
      starts: Array.from({ length: isStaggered ? workers : 0 }, (_, worker) => (worker * this.#stepSeconds) / workers),
      allReduceTime: mode === 'allreduce' ? bytes => allReduceTime(this.#fabric(), workers, bytes) : undefined,
    };
  }

  run(task: ScaleoutTask): Simulated {
    const steps = this.request.steps ?? this.#stepsOf(task);
    const warmUp = Math.min(WARM_UP_STEPS, Math.floor(steps / 2));
    const seed = this.request.seed + task.resample;
    const choices = task.resample === 0 ? undefined : this.#resampled(seed);
    return simulate(this.compiled(task.servers), this.cluster(task), { steps, warmUp, seed, choices });
  }

  #stepsOf({ workers, servers }: ScaleoutTask): number {
    const usual = WARM_UP_STEPS + Math.max(WARM_UP_STEPS, Math.ceil(COUNTED_STEPS / workers));
    if (this.request.mode === 'async') return usual;
    const affordable = Math.floor(WAITING_EVENTS / (workers * this.compiled(servers).most));
    return Math.min(usual, Math.max(LEAST_WAITING_STEPS, affordable));
  }

  /** As many profiled steps as there are, drawn with replacement: a bootstrap's sample. */
  #resampled(seed: number): number[] {
    const random = new Random();
    const { length } = this.#profile.steps;
    random.rekey(seed, 1, 0, 0, 0);
    return Array.from({ length }, () => random.int(length));
  }

  #fabric(): Parameters<typeof allReduceTime>[0] {
    const { algorithm, perHost, insideBandwidth, insideLatency, bandwidth, hostBandwidth, latency } = this.request;
    const networkBandwidth = hostBandwidth ?? bandwidth;
    return { algorithm, perHost, insideBandwidth, insideLatency, networkBandwidth, networkLatency: latency };
  }
}
