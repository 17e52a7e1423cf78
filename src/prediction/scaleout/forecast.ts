import { CONFIDENCE, type Interval, mean, standardDeviation } from '../../math/statistics.ts';
import { studentQuantile } from '../../math/student.ts';
import { SECONDS_PER_HOUR } from '../../model/units.ts';
import { WORTHWHILE } from '../thresholds.ts';
import { type Baselines, baselinesOf, type StepDemand } from './baselines.ts';
import type { CompiledSteps } from './compile.ts';
import type { Money, ScaleoutRequest } from './request.ts';
import type { Simulated } from './simulated.ts';
import type { ScaleoutJob, ScaleoutTask } from './tasks.ts';
import type { Units } from './units.ts';

/** Use of a resource, as a part of its capacity. */
export interface ResourceUse {
  readonly resource: string;
  readonly used: number;
}

/** What a cluster is expected to come to. */
export interface ScaleoutPoint {
  readonly workers: number;
  readonly servers: number;
  /** Examples per second. The interval covers seeds, resampled steps, and both joint and staggered starts. */
  readonly throughput: Interval;
  /** Throughput over that of so many workers alone. */
  readonly efficiency: number;
  /** Seconds from one step of a worker to its next. */
  readonly stepSeconds: number;
  /** Of workers that begin together, the mean of all simulations, and of those that do not. */
  readonly joint: number;
  readonly staggered: number | undefined;
  /** Joint and staggered starts come to different throughputs: which of them a run finds depends on chance. */
  readonly isBistable: boolean;
  /** Of all resources that are used, the most used first. */
  readonly uses: readonly ResourceUse[];
  readonly baselines: Baselines;
  readonly epochSeconds: number | undefined;
  readonly epochCost: number | undefined;
  readonly exampleCost: number | undefined;
}

export interface Saturation {
  readonly servers: number;
  /** From here on a further worker adds less than half of what one worker does alone; undefined: not within the workers asked for. */
  readonly workers: number | undefined;
  /** The most used resource with the next number of workers, which brings little; or with the most. */
  readonly resource: string;
}

export interface ScaleoutForecast {
  /** Seconds of a step of one worker alone, with the first number of servers. */
  readonly aloneSeconds: number;
  readonly points: readonly ScaleoutPoint[];
  readonly saturation: readonly Saturation[];
  /** The cheapest cluster whose throughput is the wanted one at least. */
  readonly cheapest: ScaleoutPoint | undefined;
}

export interface TaskResult extends ScaleoutTask {
  readonly simulated: Simulated;
}

/** Puts simulations together, in any order in which they were made. */
export function forecastOf(job: ScaleoutJob, made: readonly TaskResult[]): ScaleoutForecast {
  const { request } = job;
  const results = inOrder(made);
  const points = request.servers.flatMap(servers => {
    const demand = demandOf(job.detailed(servers), request, aloneOf(job, results, servers));
    return request.workers.map(workers => {
      const own = results.filter(result => result.servers === servers && result.workers === workers);
      return pointOf(own, demand, job.compiled(servers).units, request);
    });
  });
  const [first] = points;
  return {
    aloneSeconds: first === undefined ? Number.NaN : first.efficiency * first.stepSeconds,
    points,
    saturation: request.servers.map(servers => saturationOf(points.filter(point => point.servers === servers))),
    cheapest: cheapestOf(points, request),
  };
}

/** As if done one after the other: sums over results then have the same last digits. */
const inOrder = (results: readonly TaskResult[]): TaskResult[] =>
  [...results].sort(
    (a, b) =>
      a.servers - b.servers ||
      a.workers - b.workers ||
      a.resample - b.resample ||
      Number(a.start === 'staggered') - Number(b.start === 'staggered'),
  );

/** Throughput of one worker: of all its simulations, as that of several is. */
function aloneOf(job: ScaleoutJob, results: readonly TaskResult[], servers: number): number {
  const own = results.filter(result => result.servers === servers && result.workers === 1);
  if (own.length === 0) return job.run({ servers, workers: 1, start: 'joint', resample: 0 }).throughput;
  return mean(own.map(({ simulated }) => simulated.throughput));
}

function pointOf(
  results: readonly TaskResult[],
  demand: StepDemand,
  units: Units,
  request: ScaleoutRequest,
): ScaleoutPoint {
  const [first] = results;
  const of = (start: string): Simulated | undefined =>
    results.find(result => result.start === start && result.resample === 0)?.simulated;
  const joint = of('joint');
  if (first === undefined || joint === undefined) throw new Error('A cluster was not simulated.');
  const { workers, servers } = first;
  const staggered = of('staggered')?.throughput;
  const resampled = results.filter(({ resample }) => resample > 0).map(({ simulated }) => simulated.throughput);
  const together = mean([joint.throughput, ...resampled]);
  const throughput = intervalOf(together, staggered, resampled);
  const { batchSize } = demand;
  return {
    workers,
    servers,
    throughput,
    efficiency: throughput.estimate / (workers * demand.alone),
    stepSeconds: (workers * batchSize) / throughput.estimate,
    joint: together,
    staggered,
    isBistable: staggered !== undefined && difference(together, staggered) > WORTHWHILE,
    uses: usesOf(joint, units),
    baselines: baselinesOf(demand, workers, request.mode),
    ...costsOf(throughput.estimate, workers, servers, request.money),
  };
}

/** Mean of both starts; as far to each side as the t quantile of the resamples, and to each of the starts. */
function intervalOf(joint: number, staggered: number | undefined, resampled: readonly number[]): Interval {
  const starts = [joint, staggered ?? joint];
  const estimate = (joint + (staggered ?? joint)) / 2;
  const degrees = resampled.length - 1;
  const half = degrees < 1 ? 0 : studentQuantile((1 + CONFIDENCE) / 2, degrees) * standardDeviation(resampled);
  return {
    estimate,
    low: Math.min(...starts) - half,
    high: Math.max(...starts) + half,
    confidence: degrees < 1 ? 0 : CONFIDENCE,
  };
}

const difference = (a: number, b: number): number => (2 * Math.abs(a - b)) / (a + b);

const usesOf = ({ used }: Simulated, units: Units): ResourceUse[] =>
  used
    .map((part, unit) => ({ resource: units.nameOf(unit), used: part }))
    .filter(use => use.used > 0)
    .sort((a, b) => b.used - a.used);

function costsOf(
  throughput: number,
  workers: number,
  servers: number,
  money: Money | undefined,
): Pick<ScaleoutPoint, 'epochSeconds' | 'epochCost' | 'exampleCost'> {
  const epochSeconds = money?.epoch === undefined ? undefined : money.epoch / throughput;
  if (money === undefined) return { epochSeconds, epochCost: undefined, exampleCost: undefined };
  const perSecond = (workers * money.worker + servers * money.server) / SECONDS_PER_HOUR;
  return {
    epochSeconds,
    epochCost: epochSeconds === undefined ? undefined : epochSeconds * perSecond,
    exampleCost: perSecond / throughput,
  };
}

/** Mean demands of a step, for formulas: bytes of the busiest server, and seconds of computation and pauses. */
function demandOf(compiled: CompiledSteps, { bandwidth, lanes, pause }: ScaleoutRequest, alone: number): StepDemand {
  const { units, bases, counts, durationBases, durations, unit, bytes, batchSize } = compiled;
  const sums = new Float64Array(units.count);
  for (const [step, base] of bases.entries()) {
    for (let op = 0; op < (counts[step] as number); op++) {
      const own = unit[base + op] as number;
      const work = units.isLink(own)
        ? (bytes[base + op] as number)
        : (durations[(durationBases[step] as number) + op] as number);
      sums[own] = (sums[own] as number) + work / bases.length;
    }
  }
  const busiest = (first: number): number => Math.max(...sums.subarray(first, first + units.servers));
  return {
    batchSize,
    alone,
    downBytes: busiest(units.downlink(0)),
    upBytes: busiest(units.uplink(0)),
    computeSeconds: (sums[units.worker] as number) / lanes + busiest(units.server(0)) + pause,
    bandwidth,
  };
}

function saturationOf(points: readonly ScaleoutPoint[]): Saturation {
  const sorted = [...points].sort((a, b) => a.workers - b.workers);
  const [first] = sorted;
  const last = sorted.at(-1);
  const worth = first === undefined ? 0 : first.throughput.estimate / first.efficiency / first.workers / 2;
  const at = sorted.findIndex((point, index) => {
    const next = sorted[index + 1];
    if (next === undefined) return false;
    return (next.throughput.estimate - point.throughput.estimate) / (next.workers - point.workers) < worth;
  });
  return {
    servers: first?.servers ?? 0,
    workers: sorted[at]?.workers,
    resource: (at < 0 ? last : sorted[at + 1])?.uses[0]?.resource ?? 'worker',
  };
}

function cheapestOf(points: readonly ScaleoutPoint[], { money, wanted }: ScaleoutRequest): ScaleoutPoint | undefined {
  const priceOf = ({ workers, servers }: ScaleoutPoint): number =>
    workers * (money?.worker ?? 1) + servers * (money?.server ?? 0);
  const costOf = (point: ScaleoutPoint): number =>
    wanted === undefined ? priceOf(point) / point.throughput.estimate : priceOf(point);
  if (money === undefined && wanted === undefined) return undefined;
  return points
    .filter(({ throughput }) => wanted === undefined || throughput.low >= wanted)
    .sort((a, b) => costOf(a) - costOf(b) || a.workers - b.workers)[0];
}
