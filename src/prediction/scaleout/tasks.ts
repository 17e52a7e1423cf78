import { Random } from '../../math/random.ts';
import { mean } from '../../math/statistics.ts';
import { greatest, least } from '../../math/totals.ts';
import { VenturiError } from '../../model/errors.ts';
import { allReduceTime, withAllReduce } from './all-reduce.ts';
import type { Cluster } from './cluster.ts';
import { type CompiledSteps, compileSteps } from './compile.ts';
import { condensed } from './condense.ts';
import { clusterOf } from './defaults.ts';
import type { ScaleoutRequest } from './request.ts';
import { simulate } from './simulate.ts';
import type { Simulated } from './simulated.ts';
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

/** Steps of each worker in a simulation; `most`: ops of a step. */
export function stepsFor({ steps, mode }: ScaleoutRequest, workers: number, most: number): number {
  if (steps !== undefined) return steps;
  const usual = WARM_UP_STEPS + Math.max(WARM_UP_STEPS, Math.ceil(COUNTED_STEPS / workers));
  if (mode === 'async') return usual;
  const affordable = Math.floor(WAITING_EVENTS / (workers * most));
  return Math.min(usual, Math.max(LEAST_WAITING_STEPS, affordable));
}

const timeless = (): VenturiError =>
  new VenturiError(
    'VENTURI_STEPS_NONE',
    'A step of one worker takes no time: what it computes has no durations in the trace.',
    {
      remedy: 'Record steps with the times of their ops.',
    },
  );

/** Profiled steps made ready for simulations. */
export class ScaleoutJob {
  readonly request: ScaleoutRequest;
  readonly #profile: ScaleoutProfile;
  /** Its steps with few ops, where these come to the same. */
  readonly #condensed: ScaleoutProfile | undefined;
  /** By number of servers. */
  readonly #compiled = new Map<number, CompiledSteps>();
  readonly #detailed = new Map<number, CompiledSteps>();
  /** Of a step, what parses a received message included: more lanes would have nothing to do. */
  readonly #mostOps: number;
  readonly #stepSeconds: number;
  /** Simulations that were made, by `keyOf`. */
  readonly #made = new Map<string, Simulated>();

  constructor(profile: ScaleoutProfile, request: ScaleoutRequest) {
    this.request = request;
    const isReduced = request.mode === 'allreduce';
    this.#profile = isReduced ? withAllReduce(profile, request.bucketBytes) : profile;
    this.#mostOps = 2 * greatest(this.#profile.graphs.map(({ names }) => names.length));
    const hasLanes = request.lanes >= (profile.orderedLanes ?? Number.POSITIVE_INFINITY);
    this.#condensed = isReduced && hasLanes ? condensed(this.#profile) : undefined;
    const alone = this.run({ servers: request.servers[0] ?? 1, workers: 1, start: 'joint', resample: 0 });
    this.#stepSeconds = profile.batchSize / alone.throughput;
    if (!(this.#stepSeconds > 0)) throw timeless();
  }

  /** As they are simulated. */
  compiled(servers: number): CompiledSteps {
    return this.#condensed === undefined
      ? this.detailed(servers)
      : this.#compileOnce(this.#compiled, this.#condensed, servers);
  }

  /** With every op. */
  detailed(servers: number): CompiledSteps {
    return this.#compileOnce(this.#detailed, this.#profile, servers);
  }

  #compileOnce(known: Map<number, CompiledSteps>, profile: ScaleoutProfile, servers: number): CompiledSteps {
    const { partition, order, overhead, parse, seed } = this.request;
    const compiled =
      known.get(servers) ?? compileSteps(profile, { servers, partition, order, overhead, parse, orderSeed: seed });
    known.set(servers, compiled);
    return compiled;
  }

  cluster({ servers, workers, start }: ScaleoutTask): Cluster {
    const { mode, bandwidth, perHost, window, uplinkWindow, multiplexing, lanes } = this.request;
    const { speeds, straggling, input, pause } = this.request;
    const isStaggered = start === 'staggered';
    return {
      ...clusterOf({ workers, servers, bandwidth, perHost, window, uplinkWindow, multiplexing, mode }),
      lanes: Math.min(lanes, this.#mostOps),
      hostBandwidths: this.#hostBandwidths(workers),
      speeds: Array.from({ length: workers }, (_, worker) => speeds[worker] ?? 1),
      straggling,
      input,
      pause,
      starts: Array.from({ length: isStaggered ? workers : 0 }, (_, worker) => (worker * this.#stepSeconds) / workers),
      allReduceTime: mode === 'allreduce' ? bytes => allReduceTime(this.#fabric(workers), workers, bytes) : undefined,
    };
  }

  run(task: ScaleoutTask): Simulated {
    const key = this.keyOf(task);
    const simulated = this.#made.get(key) ?? this.#simulated(task);
    this.#made.set(key, simulated);
    return simulated;
  }

  /** Tasks with the same key come to the same: where there is nothing to draw, resamples are all alike. */
  keyOf({ servers, workers, start, resample }: ScaleoutTask): string {
    return [servers, workers, start, this.#isDrawn ? resample : 0].join(' ');
  }

  /** Whether steps differ by chance. */
  get #isDrawn(): boolean {
    return this.#profile.steps.length > 1 || this.request.straggling !== undefined;
  }

  #simulated(task: ScaleoutTask): Simulated {
    const { workers } = task;
    const one = this.#areAlike(task) ? this.#simulatedOn(task, { ...this.cluster(task), workers: 1 }) : undefined;
    const { throughput, steps, events, ...alike } = one ?? this.#simulatedOn(task, this.cluster(task));
    const times = one === undefined ? 1 : workers;
    const simulated = { ...alike, throughput: times * throughput, steps: times * steps, events: times * events };
    if (this.#condensed === undefined) return simulated;
    const { worker } = this.compiled(task.servers).units;
    return { ...simulated, used: simulated.used.with(worker, this.#workerUse(task, simulated)) };
  }

  /**
   * Whether all workers of an all-reduce do the same at the same moments: they are as fast as each other, begin together and have the one profiled step each time. None then waits
   * for another, and one of them tells of all.
   */
  #areAlike({ workers, start }: ScaleoutTask): boolean {
    const { mode, speeds } = this.request;
    const [first = 1, ...others] = Array.from({ length: workers }, (_, worker) => speeds[worker] ?? 1);
    return mode === 'allreduce' && start === 'joint' && !this.#isDrawn && others.every(speed => speed === first);
  }

  #simulatedOn(task: ScaleoutTask, cluster: Cluster): Simulated {
    const steps = this.stepsOf(task);
    const warmUp = Math.min(WARM_UP_STEPS, Math.floor(steps / 2));
    const seed = this.request.seed + task.resample;
    const choices = task.resample === 0 ? undefined : this.#resampled(seed);
    const compiled = this.compiled(task.servers);
    const lanes = this.#condensed === undefined ? cluster.lanes : compiled.most;
    return simulate(compiled, { ...cluster, lanes }, { steps, warmUp, seed, choices });
  }

  /** Seconds of a step of one worker, the mean of those profiled. */
  profiledSeconds(servers: number): number {
    const compiled = this.compiled(servers);
    const cluster = this.cluster({ servers, workers: 1, start: 'joint', resample: 0 });
    const lanes = this.#condensed === undefined ? cluster.lanes : compiled.most;
    const { steps } = this.#profile;
    const extent = { steps: steps.length, warmUp: 0, seed: this.request.seed, inOrder: true };
    return this.#profile.batchSize / simulate(compiled, { ...cluster, lanes }, extent).throughput;
  }

  /** Part of the time for which the busiest thread or stream of a worker computes: paths of condensed steps overlap. */
  #workerUse({ workers }: ScaleoutTask, { throughput }: Simulated): number {
    const slowness = mean(Array.from({ length: workers }, (_, worker) => 1 / (this.request.speeds[worker] ?? 1)));
    const busiest = mean(this.#profile.steps.map(step => step.busiest ?? 0));
    // Steps drawn for this simulation can be shorter than the mean of all.
    return Math.min(1, (slowness * busiest * throughput) / (workers * this.#profile.batchSize));
  }

  /** Steps of each worker. */
  stepsOf({ workers, servers }: ScaleoutTask): number {
    return stepsFor(this.request, workers, this.compiled(servers).most);
  }

  /** As many profiled steps as there are, drawn with replacement: a bootstrap's sample. */
  #resampled(seed: number): number[] {
    const random = new Random();
    const { length } = this.#profile.steps;
    random.rekey(seed, 1, 0, 0, 0);
    return Array.from({ length }, () => random.int(length));
  }

  #hostBandwidths(workers: number): number[] {
    const { bandwidth, perHost, hostBandwidths = [bandwidth] } = this.request;
    const hosts = Math.ceil(workers / perHost);
    return Array.from({ length: hosts }, (_, host) => hostBandwidths[host % hostBandwidths.length] ?? bandwidth);
  }

  #fabric(workers: number): Parameters<typeof allReduceTime>[0] {
    const { algorithm, perHost, insideBandwidth, insideLatency, latency } = this.request;
    // What goes round goes over the slowest card, too.
    const networkBandwidth = least(this.#hostBandwidths(workers));
    return { algorithm, perHost, insideBandwidth, insideLatency, networkBandwidth, networkLatency: latency };
  }
}
