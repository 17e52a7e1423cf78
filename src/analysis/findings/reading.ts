import { bandwidthAt, mostBandwidth } from '../../model/disk.ts';
import type { Doubt, Fix } from '../../model/finding.ts';
import { type BytesPerSecond, bytesPerSecond } from '../../model/units.ts';
import type { Analysis } from '../analysis.ts';
import { lanesOf } from '../rates/lane-states.ts';
import type { OperatorRates, StageRates } from '../rates/rates.ts';
import { fitStorage, type StorageFit } from '../rates/storage-fit.ts';
import { waitedCalls } from './calls.ts';
import { narrowStage } from './narrow.ts';

/** A narrow stage that sleeps outside the dataflow, not for calls of an async function, and what is known about why. */
export interface Reading {
  readonly stage: StageRates;
  /** Bytes its lanes get from storage. */
  readonly rate: BytesPerSecond;
  /** Part of the most that storage can give to any number of readers; undefined where nobody said. */
  readonly ofLimit: number | undefined;
  /** More readers would get more, by what was measured of storage. */
  readonly risesTo: BytesPerSecond | undefined;
  readonly fit: StorageFit | undefined;
  readonly why: 'bandwidth' | 'parallelism' | 'latency';
  readonly doubts: readonly Doubt[];
}

/** Fewer bytes than this per second asleep are no reading: the stage waits for something else. */
export const LEAST_BYTES_PER_SECOND = 50e3;
const NEAR_LIMIT = 0.85;
/** A part of the time by bytes, and how sure the fit must be of it. */
const BY_BYTES = 0.6;
const SURE = 0.2;

export function reading(analysis: Analysis): Reading | undefined {
  const narrow = narrowStage(analysis);
  if (narrow?.place.limit !== 'blocked' || waitedCalls(analysis) !== undefined) return undefined;
  const { rates, timeline, disk } = analysis;
  const { stage, place } = narrow;
  const rate = bytesPerSecond(stage.askedDemand * rates.rate.estimate);
  const common = { stage, rate, ofLimit: undefined, risesTo: undefined, fit: undefined, doubts: [] };
  if (rate < LEAST_BYTES_PER_SECOND) return { ...common, why: 'latency' };
  const fit = fitStorage(place.vertex, lanesOf(timeline, place.vertex), rates.steady);
  if (disk !== undefined) {
    const most = mostBandwidth(disk);
    const known = { ...common, fit, ofLimit: rate / most };
    if (rate >= NEAR_LIMIT * most) return { ...known, why: 'bandwidth' };
    const gets = bandwidthAt(disk, stage.lanes);
    // What this many readers can get is what they got: more of them would get more.
    if (rate >= 0.6 * gets) return { ...known, risesTo: bytesPerSecond(most), why: 'parallelism' };
    return { ...known, risesTo: bytesPerSecond(most), why: 'latency' };
  }
  if (fit === undefined || fit.error > SURE) return { ...common, fit, why: 'parallelism', doubts: ['same-sizes'] };
  if (fit.byBytes < BY_BYTES) return { ...common, fit, why: 'latency' };
  return { ...common, fit, why: 'bandwidth', doubts: stage.lanes === 1 ? ['one-reader'] : [] };
}

/** The operator that reads: of those of its stage, the one that slept most for each element. */
export function readerOf({ rates }: Analysis, stage: StageRates): string {
  const members = rates.operators.filter(({ id }) => stage.operators.includes(id));
  const most = members.reduce<OperatorRates | undefined>(
    (sofar, each) => (sofar === undefined || each.blockedDemand > sofar.blockedDemand ? each : sofar),
    undefined,
  );
  return most?.id ?? stage.id;
}

/** It sees all elements in order: no number of threads or calls at once makes it give more. */
export const isInOrder = ({ graph }: Analysis, id: string): boolean =>
  graph.operators.some(each => each.id === id && each.sequential && each.divisible !== true);

/** More lanes, or more calls at once, where the reader can have them. */
export function readersFix(
  analysis: Analysis,
  reader: string,
  setting: 'parallelism' | 'concurrency',
  value: number,
): Fix {
  return isInOrder(analysis, reader) ? { type: 'advice' } : { type: 'set', operator: reader, setting, value };
}
