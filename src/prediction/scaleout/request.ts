import { MEBIBYTE } from '../../model/units.ts';
import type { Algorithm } from './all-reduce.ts';
import type { InputPipeline, Mode, Multiplexing, Order, ParseOverhead, Partition, Straggling } from './cluster.ts';

/** Clusters to forecast: one for each number of servers and workers. Bandwidths in bytes per second and direction. */
export interface ScaleoutRequest {
  readonly workers: readonly number[];
  readonly servers: readonly number[];
  readonly mode: Mode;
  readonly bandwidth: number;
  /** Of hosts' network cards where they are not those of servers, by host; further hosts have them in turn. */
  readonly hostBandwidths?: readonly number[] | undefined;
  readonly perHost: number;
  readonly partition: Partition;
  readonly order: Order;
  readonly window: number;
  /** Of streams to servers; as that of those from servers unless given. */
  readonly uplinkWindow?: number | undefined;
  readonly multiplexing: Multiplexing;
  readonly overhead: ParseOverhead;
  readonly parse: 'worker' | 'beside';
  readonly lanes: number;
  readonly algorithm: Algorithm;
  /** Between workers of a host. */
  readonly insideBandwidth: number;
  /** Seconds of a message, inside a host and between hosts. */
  readonly insideLatency: number;
  readonly latency: number;
  readonly bucketBytes: number;
  /** By worker, over that of the profiled one; those that are not named are as fast. */
  readonly speeds: readonly number[];
  readonly straggling?: Straggling | undefined;
  readonly input?: InputPipeline | undefined;
  /** Seconds between two steps of a worker, which belong to none of them. */
  readonly pause: number;
  /** Steps of a worker in each simulation; by the number of workers unless given. */
  readonly steps?: number | undefined;
  readonly seed: number;
  /** Simulations of resampled steps, from which the interval comes. */
  readonly resamples: number;
  readonly money?: Money | undefined;
  /** Examples per second that are wanted. */
  readonly wanted?: number | undefined;
}

export interface Money {
  /** Per hour, of a worker and of a server. */
  readonly worker: number;
  readonly server: number;
  /** Examples of an epoch. */
  readonly epoch?: number | undefined;
}

/** PyTorch's default of `bucket_cap_mb`, 25 MiB. */
const BUCKET_BYTES = 25 * MEBIBYTE;
/** Simulations beside the first, for the interval: the t quantile of four degrees of freedom is 2.1. */
const RESAMPLES = 5;

/** Everything but the workers and the link, as a job is set up unless something is known of it. */
export const REQUEST: Omit<ScaleoutRequest, 'workers' | 'bandwidth'> = {
  servers: [1],
  mode: 'async',
  perHost: 1,
  partition: 'round-robin',
  order: 'recorded',
  window: Number.POSITIVE_INFINITY,
  multiplexing: 'rr',
  overhead: { perByte: 0, perMessage: 0 },
  parse: 'worker',
  lanes: 1,
  algorithm: 'ring',
  insideBandwidth: Number.POSITIVE_INFINITY,
  insideLatency: 0,
  latency: 0,
  bucketBytes: BUCKET_BYTES,
  speeds: [],
  pause: 0,
  seed: 1,
  resamples: RESAMPLES,
};
