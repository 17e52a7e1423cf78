import { type Interval, median } from '../../math/statistics.ts';
import { type Point, slopeInterval } from '../../math/trend.ts';
import type { Sample } from './machine-use.ts';

/** Intervals of equal length that a series is divided into. Each counts by its minimum: memory that is given back does not count. */
const PARTS = 16;
/** Intervals that belong to the start of a program. */
const STARTING = PARTS / 4;
const LATER = PARTS / 2;
const CONFIDENCE = 0.95;
/** Largest fall in between / growth, for a lasting growth; with more it oscillates. */
const MOST_FALLEN = 0.25;
/** Least growth of the last quarter / growth of the one before; with less it levels off. */
const LEAST_KEPT = 0.5;
/** Least growth that is reported: in bytes, and as a share of the memory held. */
const LEAST_BYTES = 4 * 2 ** 20;
const LEAST_PART = 0.01;

/** Growth of a process's memory in the later half of a recording, bytes per ns. */
export interface MemoryTrend {
  readonly from: number;
  readonly to: number;
  /** Undefined where there is no lasting growth. */
  readonly growth: Interval | undefined;
  /** Estimated slope, lasting or not. */
  readonly slope: number;
}

/** Undefined where there are too few samples to say anything. */
export function memoryTrend(samples: readonly Sample[]): MemoryTrend | undefined {
  const parts = partsOf(samples);
  if (parts === undefined) return undefined;
  const later = parts.slice(-LATER);
  const slope = slopeInterval(later, CONFIDENCE);
  const [from, to] = [later[0]?.x ?? 0, later.at(-1)?.x ?? 0];
  const { y: held = 0 } = later.at(-1) ?? {};
  const grown = slope.estimate * (to - from);
  // A series that swings by more may only seem to rise: samples meet it at a later phase every time.
  const swing = median(later.map(({ most, y }) => most - y));
  const isLasting =
    slope.low * (to - from) >= Math.max(LEAST_BYTES, LEAST_PART * held) &&
    mostFallen(parts.slice(STARTING)) <= MOST_FALLEN * grown &&
    swing <= grown * (1 + 1 / (LATER - 1)) &&
    keepsOn(later);
  return { from, to, growth: isLasting ? slope : undefined, slope: slope.estimate };
}

interface Part extends Point {
  readonly most: number;
}

/** Middle, minimum and maximum of each interval; undefined where one has no sample. */
function partsOf(samples: readonly Sample[]): Part[] | undefined {
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined || last.at <= first.at) return undefined;
  const length = (last.at - first.at) / PARTS;
  const values = Array.from({ length: PARTS }, (): number[] => []);
  for (const { at, value } of samples) {
    values[Math.min(PARTS - 1, Math.floor((at - first.at) / length))]?.push(value);
  }
  if (values.some(part => part.length === 0)) return undefined;
  return values.map((part, index) => ({
    x: first.at + (index + 0.5) * length,
    y: part.reduce((least, value) => Math.min(least, value)),
    most: part.reduce((most, value) => Math.max(most, value)),
  }));
}

function mostFallen(points: readonly Point[]): number {
  let peak = Number.NEGATIVE_INFINITY;
  let fallen = 0;
  for (const { y } of points) {
    peak = Math.max(peak, y);
    fallen = Math.max(fallen, peak - y);
  }
  return fallen;
}

function keepsOn(points: readonly Point[]): boolean {
  const half = points.length / 2;
  const grown = (part: readonly Point[]): number => slopeInterval(part, CONFIDENCE).estimate;
  return grown(points.slice(half)) >= LEAST_KEPT * grown(points.slice(0, half));
}
