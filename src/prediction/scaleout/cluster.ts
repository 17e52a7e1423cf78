/** Order in which a step's parameters are sent to a worker. `tic`: TicTac's timing-independent priorities; `reverse`: of those. */
export const ORDERS = ['recorded', 'layer', 'tic', 'reverse', 'random'] as const;
export type Order = (typeof ORDERS)[number] | readonly string[];

/** Which server holds which parameter. `greedy`: the next parameter goes to the server with the fewest bytes; `balanced`: largest first. */
export const PARTITIONS = ['round-robin', 'greedy', 'balanced', 'recorded'] as const;
export type Partition = (typeof PARTITIONS)[number];

/**
 * What follows the first chunk of a stream. `rr`: the rest goes to the end of the queue and is then sent whole (the paper's §3.2.2); `fresh`: as that, but
 * streams that were never sent go first; `cycle`: chunk by chunk until all is sent; `whole`: there are no chunks.
 */
export const MULTIPLEXING = ['rr', 'fresh', 'cycle', 'whole'] as const;
export type Multiplexing = (typeof MULTIPLEXING)[number];

/** `async`, `sync`: parameter servers, and workers without and with a barrier after each step. `allreduce`: no servers. */
export const MODES = ['async', 'sync', 'allreduce'] as const;
export type Mode = (typeof MODES)[number];

/** Cost of receiving a message beside its transmission: α · bytes + β. */
export interface ParseOverhead {
  /** α, seconds. */
  readonly perByte: number;
  /** β, seconds. */
  readonly perMessage: number;
}

/** How a worker's steps are built: what of a cluster changes the ops themselves. */
export interface StepSettings {
  readonly servers: number;
  readonly partition: Partition;
  readonly order: Order;
  readonly overhead: ParseOverhead;
  /**
   * Where a host parses what it received: on its one processor, which does nothing else meanwhile; or beside it, on threads of which there are always enough. Messages
   * that come together are then there at once, each a little late, as those of gRPC are on hosts with idle cores.
   */
  readonly parse: 'worker' | 'beside';
  /** Of a random order. */
  readonly orderSeed: number;
}

/** A step now and then takes longer. */
export interface Straggling {
  readonly probability: number;
  /** Of the computation of such a step. */
  readonly factor: number;
}

/** A pipeline that prepares each worker's batches. */
export interface InputPipeline {
  /** Batches per second for one worker. */
  readonly rate: number;
  /** Batches it prepares ahead. */
  readonly buffer: number;
}

/** A cluster to simulate. Bandwidths in bytes per second and direction. */
export interface Cluster {
  readonly workers: number;
  readonly mode: Mode;
  /** By server. */
  readonly serverBandwidths: readonly number[];
  /** By host; each host has `perHost` workers. */
  readonly hostBandwidths: readonly number[];
  readonly perHost: number;
  /** WIN: bytes of a stream's first chunk; Infinity: streams are sent whole. */
  readonly window: number;
  /** WIN of streams to servers, where these advertise another than workers do: a window is its receiver's. */
  readonly uplinkWindow?: number | undefined;
  readonly multiplexing: Multiplexing;
  /** Ops that a worker computes at a time. */
  readonly lanes: number;
  /** By worker: its speed over that of the profiled one. */
  readonly speeds: readonly number[];
  readonly straggling: Straggling | undefined;
  readonly input: InputPipeline | undefined;
  /** Between two steps of a worker, s. */
  readonly pause: number;
  /** By worker: when its first step begins, s. */
  readonly starts: readonly number[];
  /** Seconds of an all-reduce of so many bytes; called once for each size. */
  readonly allReduceTime: ((bytes: number) => number) | undefined;
}

/** WIN of a stream from a server, or of one to it. */
export const windowIn = (
  { window, uplinkWindow = window, multiplexing }: Pick<Cluster, 'window' | 'uplinkWindow' | 'multiplexing'>,
  isFromServer: boolean,
): number => (multiplexing === 'whole' ? Number.POSITIVE_INFINITY : isFromServer ? window : uplinkWindow);
