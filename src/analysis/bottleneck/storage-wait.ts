import { highest } from '../../math/totals.ts';
import { bandwidthAt, mostBandwidth } from '../../model/disk.ts';
import { type BytesPerSecond, bytesPerSecond } from '../../model/units.ts';
import type { Analysis } from '../analysis.ts';
import { lanesOf } from '../rates/lane-states.ts';
import type { StageRates } from '../rates/rates.ts';
import { fitStorage, type StorageFit } from '../rates/storage-fit.ts';
import { narrowStage } from './narrow.ts';
import { waitedCalls } from './waited-calls.ts';

/** A narrow stage that sleeps outside the dataflow, not for calls of an async function, and what is known about why. */
export interface StorageWait {
  readonly stage: StageRates;
  /** Bytes its lanes get from storage. */
  readonly rate: BytesPerSecond;
  /** Part of the most that storage can give to any number of readers; undefined where nobody said. */
  readonly ofLimit: number | undefined;
  /** More readers would get more, by what was measured of storage. */
  readonly risesTo: BytesPerSecond | undefined;
  readonly fit: StorageFit | undefined;
  readonly why: 'bandwidth' | 'parallelism' | 'latency';
  /** Why that may be wrong: all files are about as large, or one reader says nothing of several. */
  readonly doubts: readonly ('same-sizes' | 'one-reader')[];
}

/** Fewer bytes than this per second asleep are no reading: the stage waits for something else. */
export const LEAST_BYTES_PER_SECOND = 50e3;
const NEAR_LIMIT = 0.85;
/** A part of the time by bytes, and how sure the fit must be of it. */
const BY_BYTES = 0.6;
const SURE = 0.2;

export function storageWait(analysis: Analysis): StorageWait | undefined {
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
export const readerOf = ({ rates }: Analysis, { id }: StageRates): string =>
  highest(
    rates.operators.filter(({ stage }) => stage === id),
    ({ blockedDemand }) => blockedDemand,
  )?.id ?? id;

/** It sees all elements in order: no number of threads or calls at once makes it give more. */
export const isInOrder = ({ graph }: Analysis, id: string): boolean =>
  graph.operators.some(each => each.id === id && each.sequential && each.divisible !== true);
