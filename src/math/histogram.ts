/** Buckets per octave: each is at most 1/128 of its values wide. */
const SUB_BUCKETS = 128;
/** Octaves from 1 to 2^53. */
const OCTAVES = 53;
/** Bucket 0 takes what is below 1; the last takes 2^53 itself. */
const BUCKETS = 1 + OCTAVES * SUB_BUCKETS + 1;
const HIGHEST = 2 ** 53;
const COUNT = BUCKETS;
const SUM = BUCKETS + 1;
const MIN = BUCKETS + 2;
const MAX = BUCKETS + 3;

/**
 * A float's exponent and its first 7 fraction bits, read as one integer, number the log-linear buckets: no logarithm is
 * needed. They are the top of the float's high word, after a sign bit that is 0.
 */
const SHIFT = 20 - 7;
const ONE = (1023 << 20) >> SHIFT;
const float = new Float64Array(1);
const words = new Int32Array(float.buffer);
float[0] = 1;
/** Which half of a float is the high word depends on the machine's byte order. */
const HIGH = words[1] === 0 ? 0 : 1;

/** Values from `low` up to, but without, `high`. */
export interface HistogramRange {
  readonly low: number;
  readonly high: number;
  readonly count: number;
}

/**
 * Counts numbers from 0 to 2^53 in log-linear buckets, as HdrHistogram does. Count, sum, mean, minimum and maximum are exact;
 * a quantile is off by less than 1/128 of itself (0.8 %), or by less than 1 below 1. Whole numbers up to 256 are exact.
 */
export class LogHistogram {
  /** The buckets' counts and, after them, the count, sum, minimum and maximum: floats in an array are changed in place. */
  #state: Float64Array | undefined;

  add(value: number): void {
    if (!(value >= 0 && value <= HIGHEST)) throw new RangeError(`a histogram counts from 0 to 2^53, not ${value}`);
    this.#state ??= newState();
    const state = this.#state;
    const bucket = bucketOf(value);
    state[bucket] = (state[bucket] ?? 0) + 1;
    state[COUNT] = (state[COUNT] ?? 0) + 1;
    state[SUM] = (state[SUM] ?? 0) + value;
    if (value < (state[MIN] ?? 0)) state[MIN] = value;
    if (value > (state[MAX] ?? 0)) state[MAX] = value;
  }

  /** Takes over the other's values. */
  merge(other: LogHistogram): void {
    const theirs = other.#state;
    if (theirs === undefined) return;
    this.#state ??= newState();
    const mine = this.#state;
    for (let i = 0; i <= SUM; i++) mine[i] = (mine[i] ?? 0) + (theirs[i] ?? 0);
    mine[MIN] = Math.min(mine[MIN] ?? 0, theirs[MIN] ?? 0);
    mine[MAX] = Math.max(mine[MAX] ?? 0, theirs[MAX] ?? 0);
  }

  get count(): number {
    return this.#state?.[COUNT] ?? 0;
  }

  get sum(): number {
    return this.#state?.[SUM] ?? 0;
  }

  /** NaN where nothing was counted; so are the minimum, the maximum and every quantile. */
  get mean(): number {
    return this.sum / this.count;
  }

  get min(): number {
    return this.#state?.[MIN] ?? Number.NaN;
  }

  get max(): number {
    return this.#state?.[MAX] ?? Number.NaN;
  }

  /** Counts in ranges of which an octave has `perOctave`, a power of two; the first range is that of the minimum, the last that of the maximum. */
  ranges(perOctave: number): HistogramRange[] {
    const state = this.#state;
    if (state === undefined) return [];
    const wide = SUB_BUCKETS / perOctave;
    /** Bucket 0 is a range of its own. */
    const rangeOf = (bucket: number): number => (bucket === 0 ? -1 : Math.floor((bucket - 1) / wide));
    const first = rangeOf(bucketOf(this.min));
    const last = rangeOf(bucketOf(this.max));
    const ranges = Array.from({ length: last - first + 1 }, (_, at) => ({
      low: lowOf(1 + (first + at) * wide),
      high: lowOf(1 + (first + at + 1) * wide),
      count: 0,
    }));
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      const range = ranges[rangeOf(bucket) - first];
      if (range !== undefined) range.count += state[bucket] ?? 0;
    }
    return ranges;
  }

  /** The smallest value that a share `p` of all values does not exceed. */
  quantile(p: number): number {
    if (!(p >= 0 && p <= 1)) throw new RangeError(`a quantile lies from 0 to 1, not at ${p}`);
    if (this.#state === undefined) return Number.NaN;
    const rank = Math.ceil(p * this.count);
    if (rank <= 1) return this.min;
    if (rank >= this.count) return this.max;
    let seen = 0;
    let bucket = 0;
    for (; bucket < BUCKETS; bucket++) {
      seen += this.#state[bucket] ?? 0;
      if (seen >= rank) break;
    }
    return Math.min(this.max, Math.max(this.min, middleOf(bucket)));
  }
}

function newState(): Float64Array {
  const state = new Float64Array(BUCKETS + 4);
  state[MIN] = Number.POSITIVE_INFINITY;
  state[MAX] = Number.NEGATIVE_INFINITY;
  return state;
}

function bucketOf(value: number): number {
  if (value < 1) return 0;
  float[0] = value;
  return ((words[HIGH] ?? 0) >> SHIFT) - ONE + 1;
}

const octaveOf = (bucket: number): number => 2 ** Math.floor((bucket - 1) / SUB_BUCKETS);

/** Its smallest value. */
function lowOf(bucket: number): number {
  if (bucket <= 0) return 0;
  const octave = octaveOf(bucket);
  return octave + ((bucket - 1) % SUB_BUCKETS) * (octave / SUB_BUCKETS);
}

/** The value reported for a bucket: its midpoint, or its lower end where it holds at most one whole number. */
function middleOf(bucket: number): number {
  const width = bucket === 0 ? 0 : octaveOf(bucket) / SUB_BUCKETS;
  return width <= 1 ? lowOf(bucket) : lowOf(bucket) + width / 2;
}
