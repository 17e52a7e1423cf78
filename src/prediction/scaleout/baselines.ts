import type { Mode } from './cluster.ts';

/** What a step asks of the cluster, from one worker's profile. Seconds and bytes. */
export interface StepDemand {
  readonly batchSize: number;
  /** Throughput of one worker, examples per second. */
  readonly alone: number;
  /** Of the server with most to send and to receive. */
  readonly downBytes: number;
  readonly upBytes: number;
  /** All that is not transmission. */
  readonly computeSeconds: number;
  /** Of each server, bytes per second. */
  readonly bandwidth: number;
}

/** Throughputs by formulas that the simulation is set against, examples per second. */
export interface Baselines {
  readonly linear: number;
  /** min(W · X₁, K · B / S): no more than W workers alone, and no more than the busiest link carries. */
  readonly bound: number;
  /** Undefined without parameter servers, which these two are about. */
  readonly queueing: number | undefined;
  readonly cynthia: number | undefined;
}

export function baselinesOf(demand: StepDemand, workers: number, mode: Mode): Baselines {
  const { batchSize, alone, downBytes, upBytes, computeSeconds, bandwidth } = demand;
  const linear = workers * alone;
  const busiest = Math.max(downBytes, upBytes);
  const bound = busiest > 0 ? Math.min(linear, (batchSize * bandwidth) / busiest) : linear;
  if (mode === 'allreduce') return { linear, bound, queueing: undefined, cynthia: undefined };
  const stations = [downBytes / bandwidth, upBytes / bandwidth];
  return {
    linear,
    bound,
    queueing: batchSize * closedThroughput(workers, stations, computeSeconds),
    cynthia: cynthiaThroughput(demand, workers),
  };
}

/**
 * Steps per second of a closed network of processor-sharing stations with these demands (s) and a delay, by exact mean value analysis (Reiser
 * and Lavenberg, 1980). It depends on no distribution but the means: the queueing model of Lin et al. that the paper compares with, and the
 * exact solution of the simulation where a step is one transfer each way.
 */
export function closedThroughput(customers: number, demands: readonly number[], delay: number): number {
  let queues = demands.map(() => 0);
  let rate = 0;
  for (let count = 1; count <= customers; count++) {
    const times = demands.map((demand, station) => demand * (1 + (queues[station] ?? 0)));
    rate = count / (delay + times.reduce((sum, time) => sum + time, 0));
    queues = times.map(time => rate * time);
  }
  return rate;
}

/** Cynthia (Zheng et al., ICPP 2019), as the paper quotes it: W · K / (T_P · max(1, W · U₁) + 2 · T_C), U₁ being one worker's use of the network. */
function cynthiaThroughput(demand: StepDemand, workers: number): number {
  const { batchSize, alone, downBytes, upBytes, computeSeconds, bandwidth } = demand;
  const transmission = (downBytes + upBytes) / (2 * bandwidth);
  const use = (transmission * alone) / batchSize;
  return (workers * batchSize) / (computeSeconds * Math.max(1, workers * use) + 2 * transmission);
}
