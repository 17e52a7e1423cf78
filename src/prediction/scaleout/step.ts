/**
 * What an op of a profiled step occupies, as a position here: the link from a parameter server, the worker's processor or device, the link to a server,
 * the server's processor, or the network among all workers (an all-reduce).
 */
export const RESOURCES = ['downlink', 'worker', 'uplink', 'server', 'collective'] as const;

export const DOWNLINK: number = RESOURCES.indexOf('downlink');
export const WORKER: number = RESOURCES.indexOf('worker');
export const UPLINK: number = RESOURCES.indexOf('uplink');
export const SERVER: number = RESOURCES.indexOf('server');
export const COLLECTIVE: number = RESOURCES.indexOf('collective');

/** Ops of a step and what each waits for, in columns with an entry for each op. Plain numbers, so that it can be written as JSON. */
export interface StepGraph {
  readonly names: readonly string[];
  /** Position in `RESOURCES`. */
  readonly resources: readonly number[];
  /** Bytes that an op on a link or a collective moves; 0 for all others. */
  readonly bytes: readonly number[];
  /** Number of the parameter that an op transmits or updates; -1 for none. All ops of a parameter stand on one server. */
  readonly parameters: readonly number[];
  /** Server of each parameter when it was recorded. */
  readonly recordedServers: readonly number[];
  /** Dependents of op i are `dependents[offsets[i]]` up to `dependents[offsets[i + 1] - 1]` (compressed sparse rows). */
  readonly offsets: readonly number[];
  readonly dependents: readonly number[];
}

/** One profiled step: an entry for each op of its graph. Seconds. */
export interface ScaleoutStep {
  /** Position in the profile's `graphs`. */
  readonly graph: number;
  /** Of ops on links and of collectives it is as recorded, and only used to fit. */
  readonly durations: readonly number[];
  /** From the start of the step. */
  readonly starts: readonly number[];
  /** From the start of the step; absent where each op ends its duration after its start. What began before the step does not. */
  readonly ends?: readonly number[] | undefined;
  /**
   * From the end of all that an op waits for until a transfer was asked for, and until a thread took up an op of a host: not yet the time that it waits for the link or a
   * lane. Absent where each is sent and begun as soon as it can be.
   */
  readonly delays?: readonly number[] | undefined;
  /** Ops on links whose times were not recorded but concluded: a simulation of this step cannot be compared with them. */
  readonly guessed?: readonly number[] | undefined;
  /** Of the whole step. */
  readonly duration: number;
  /** Steps of one kind have the same collectives, so that workers can do them at a time; all are of one kind where it is absent. */
  readonly kind?: number | undefined;
  /** For which its busiest thread or stream computes; absent where the worker is one processor. */
  readonly busiest?: number | undefined;
}

/** What was profiled with one worker. */
export interface ScaleoutProfile {
  /** Examples of a step, K; 1 where throughput is counted in steps. */
  readonly batchSize: number;
  readonly graphs: readonly StepGraph[];
  readonly steps: readonly ScaleoutStep[];
  /** Threads and streams of the worker, where each op waits for the one before on the same: with as many lanes none waits for a lane. */
  readonly orderedLanes?: number | undefined;
}

/** When an op ended, from the start of its step. */
export const endOf = ({ starts, durations, ends }: ScaleoutStep, op: number): number =>
  ends === undefined ? (starts[op] ?? 0) + (durations[op] ?? 0) : (ends[op] ?? 0);

export const isLink = (resource: number): boolean => resource === DOWNLINK || resource === UPLINK;
