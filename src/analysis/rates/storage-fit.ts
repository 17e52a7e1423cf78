import type { Vertex } from '../../graph/stage-topology.ts';
import { sumOf } from '../../math/totals.ts';
import { subject } from '../../model/record.ts';
import { NS_PER_SECOND } from '../../model/units.ts';
import { type LaneTimeline, ownGrowth } from '../timeline.ts';
import type { SteadyPart } from './steady.ts';

/** Linear fit of the time that a reading stage sleeps. */
export interface StorageFit {
  /** Part of it that is proportional to bytes: 1 where bandwidth limits, 0 where every request has a fixed latency. */
  readonly byBytes: number;
  /** Standard error of that part. */
  readonly error: number;
  /** Latency of a request that does not depend on its bytes, seconds. */
  readonly perRequest: number;
}

const LEAST_WINDOWS = 12;
const MOST_WINDOWS = 120;
/** Requests per window. One that spans two windows is counted in one of them, which hardly matters with this many. */
const REQUESTS_PER_WINDOW = 12;

/**
 * Fits blocked = a · requests + b · bytes over windows of the steady part. Files of different sizes tell the two apart:
 * where every request takes its time the number of requests stays the same from window to window and the bytes vary;
 * where bandwidth is used up it is the other way round. Undefined where there is too little to fit; a large error where
 * sizes are too much alike.
 */
export function fitStorage(vertex: Vertex, lanes: readonly LaneTimeline[], steady: SteadyPart): StorageFit | undefined {
  const { from, to } = steady;
  const key = subject.operator(vertex.operators[0]?.id ?? '');
  const requestsIn = (start: number, end: number): number =>
    sumOf(lanes, lane => lane.between(key, 'elementsIn', start, end) || lane.between(key, 'elementsOut', start, end));
  const all = requestsIn(from, to);
  const windows = Math.min(MOST_WINDOWS, Math.floor(all / REQUESTS_PER_WINDOW / Math.max(1, lanes.length)));
  if (windows < LEAST_WINDOWS) return undefined;
  const width = (to - from) / windows;
  let s11 = 0;
  let s12 = 0;
  let s22 = 0;
  let s1y = 0;
  let s2y = 0;
  let syy = 0;
  let blockedSum = 0;
  let bytesSum = 0;
  for (let window = 0; window < windows; window++) {
    const start = from + window * width;
    const end = start + width;
    const y = ownGrowth(lanes, 'blocked', start, end) / NS_PER_SECOND;
    const requests = requestsIn(start, end);
    const bytes = ownGrowth(lanes, 'storageAsked', start, end) / 1e6;
    s11 += requests * requests;
    s12 += requests * bytes;
    s22 += bytes * bytes;
    s1y += requests * y;
    s2y += bytes * y;
    syy += y * y;
    blockedSum += y;
    bytesSum += bytes;
  }
  const determinant = s11 * s22 - s12 * s12;
  if (!(determinant > 1e-9 * s11 * s22) || blockedSum <= 0) return undefined;
  const perRequest = (s22 * s1y - s12 * s2y) / determinant;
  const perMegabyte = (s11 * s2y - s12 * s1y) / determinant;
  const residual = Math.max(0, syy - perRequest * s1y - perMegabyte * s2y) / (windows - 2);
  const scale = bytesSum / blockedSum;
  return {
    byBytes: perMegabyte * scale,
    error: Math.sqrt((residual * s11) / determinant) * scale,
    perRequest: Math.max(0, perRequest),
  };
}
