import { entryOf } from '../math/groups.ts';
import { sumOf } from '../math/totals.ts';
import { METRICS, type Metric, metricOf } from '../model/metric.ts';
import { RECORD_KIND, subject as subjectKeys } from '../model/record.ts';
import type { LaneInfo, RecordBlock } from '../model/span.ts';

/** Narrower than this, a bin would hold less than one reading of most lanes. */
const FIRST_BIN_NS = 100e6;
const MOST_BINS = 1024;
/** Metric codes fit into a byte of the record, so this keeps subject and metric apart in one number. */
const CODES = 256;

interface Growing {
  /** Moment and value of the last reading. */
  moment: number;
  value: number;
  bins: Float64Array;
}

const TOTAL_CODES: ReadonlySet<number> = new Set(
  Object.values(METRICS)
    .filter(({ shape }) => shape === 'total')
    .map(({ code }) => code),
);

export interface TimelineOptions {
  readonly whenFull?: 'widen' | 'forget';
  /** Those totals alone; all unless given. */
  readonly metrics?: readonly Metric[];
}

/**
 * How every total of a run grew over time, in bins of equal width. Lanes may arrive one after the other, as they lie on
 * disk, or mixed, as they are written: the bins come out the same. When they are used up, neighbours are joined and the
 * width doubles, or the older half is forgotten, so memory does not grow with time.
 */
export class TimelineFold {
  readonly #mostBins: number;
  readonly #whenFull: 'widen' | 'forget';
  readonly #codes: ReadonlySet<number>;
  readonly #lanes = new Map<number, { readonly lane: LaneInfo; readonly series: Map<number, Growing>; last: number }>();
  #subjects: readonly string[] = [];
  #binNs: number;
  /** Bins before the first that is kept. */
  #forgotten = 0;
  #end = 0;

  constructor(binNs = FIRST_BIN_NS, mostBins = MOST_BINS, { whenFull = 'widen', metrics }: TimelineOptions = {}) {
    this.#binNs = binNs;
    this.#mostBins = mostBins;
    this.#whenFull = whenFull;
    this.#codes = metrics === undefined ? TOTAL_CODES : new Set(metrics.map(metric => METRICS[metric].code));
  }

  get binNs(): number {
    return this.#binNs;
  }

  /** The last reading. */
  get end(): number {
    return this.#end;
  }

  /** The time before is forgotten. */
  get from(): number {
    return this.#forgotten * this.#binNs;
  }

  block(block: RecordBlock, subjects: readonly string[]): void {
    this.#subjects = subjects;
    const { count, kind, flags, subject, start, duration, lane: info } = block;
    const entry = entryOf(this.#lanes, info.index, () => ({ lane: info, series: new Map(), last: 0 }));
    const { series } = entry;
    for (let at = 0; at < count; at++) {
      const number = subject[at] ?? -1;
      const code = flags[at] ?? 0;
      if (kind[at] !== RECORD_KIND.counter || number < 0 || !this.#codes.has(code)) continue;
      const moment = start[at] ?? 0;
      entry.last = Math.max(entry.last, moment);
      this.#read(series, number * CODES + code, info.opened, moment, duration[at] ?? 0);
    }
  }

  /** The moment up to which all lanes have told of themselves; those that have not for `patience` ns are not waited for. */
  settled(patience: number): number {
    const lasts = [...this.#lanes.values()].map(({ last }) => last).filter(last => last >= this.#end - patience);
    return Math.min(this.#end, ...lasts);
  }

  #read(series: Map<number, Growing>, key: number, opened: number, moment: number, value: number): void {
    if (moment > this.#end) this.#end = moment;
    this.#makeRoom(moment);
    const growing = entryOf(series, key, () => ({
      moment: Math.max(0, Math.min(opened, moment)),
      value: 0,
      bins: new Float64Array(64),
    }));
    const grown = value - growing.value;
    if (grown !== 0) {
      // A wait may be counted whole when it is over: it began that long ago, and was called something else until then.
      const from = Math.max(0, Math.min(growing.moment, moment - Math.abs(grown)));
      const isTime = Math.abs(grown) > moment - growing.moment && STATE_CODES.has(key % CODES);
      this.#spread(growing, isTime ? from : growing.moment, moment, grown);
    }
    growing.moment = moment;
    growing.value = value;
  }

  /** Divides what was counted evenly over the time it was counted in. */
  #spread(growing: Growing, from: number, to: number, amount: number): void {
    const width = this.#binNs;
    const origin = this.#forgotten * width;
    const first = Math.floor((from - origin) / width);
    const last = Math.floor((to - origin) / width);
    if (last < 0) return;
    if (last >= growing.bins.length) growing.bins = enlarged(growing.bins, last + 1, this.#mostBins);
    const { bins } = growing;
    if (first >= last || to <= from) {
      bins[last] = (bins[last] ?? 0) + amount;
      return;
    }
    const perNs = amount / (to - from);
    for (let at = Math.max(0, first); at <= last; at++) {
      const overlap = Math.min(to, origin + (at + 1) * width) - Math.max(from, origin + at * width);
      bins[at] = (bins[at] ?? 0) + perNs * overlap;
    }
  }

  #makeRoom(moment: number): void {
    if (this.#whenFull === 'widen') {
      while (moment >= this.#binNs * this.#mostBins) this.widen();
      return;
    }
    const half = this.#mostBins / 2;
    const excess = Math.floor(moment / this.#binNs) + 1 - this.#forgotten - this.#mostBins;
    if (excess > 0) this.#forget(half * Math.ceil(excess / half));
  }

  #forget(bins: number): void {
    this.#forgotten += bins;
    for (const { series } of this.#lanes.values()) {
      for (const growing of series.values()) {
        growing.bins.copyWithin(0, bins);
        growing.bins.fill(0, Math.max(0, growing.bins.length - bins));
      }
    }
  }

  /** Joins neighbouring bins: twice the time is kept. */
  widen(): void {
    if (this.#forgotten % 2 === 1) this.#forget(1);
    this.#forgotten /= 2;
    this.#binNs *= 2;
    for (const { series } of this.#lanes.values()) {
      for (const growing of series.values()) {
        const { bins } = growing;
        for (let at = 0; at < bins.length; at += 2) bins[at / 2] = (bins[at] ?? 0) + (bins[at + 1] ?? 0);
        bins.fill(0, bins.length / 2);
      }
    }
  }

  /** As it stands now; a live run goes on growing behind it. */
  result(): Timeline {
    const lanes = [...this.#lanes.values()]
      .sort((a, b) => a.lane.index - b.lane.index)
      .map(({ lane, series }) => {
        const sums = new Map<string, Float64Array>();
        for (const [key, { bins }] of series) {
          const metric = metricOf(key % CODES);
          const subject = this.#subjects[Math.floor(key / CODES)];
          if (metric !== undefined && subject !== undefined) sums.set(seriesKey(subject, metric), runningSums(bins));
        }
        return new LaneTimeline(lane, this.#binNs, sums, this.#forgotten);
      });
    return { binNs: this.#binNs, end: this.#end, lanes };
  }
}

export interface Timeline {
  readonly binNs: number;
  /** The last reading. */
  readonly end: number;
  readonly lanes: readonly LaneTimeline[];
}

/** Growth of a subject's counter between two moments, summed over lanes. */
export const growthOf = (
  lanes: readonly LaneTimeline[],
  subject: string,
  metric: Metric,
  from: number,
  to: number,
): number => sumOf(lanes, lane => lane.between(subject, metric, from, to));

/** The same of a counter that each lane has of itself. */
export const ownGrowth = (lanes: readonly LaneTimeline[], metric: Metric, from: number, to: number): number =>
  sumOf(lanes, lane => lane.between(lane.ownKey, metric, from, to));

/** How the totals of one lane grew. */
export class LaneTimeline {
  readonly lane: LaneInfo;
  /** Keys of what it counted. */
  readonly subjects: ReadonlySet<string>;
  /** The key under which it counted for itself: its states, its storage. */
  readonly ownKey: string;
  readonly #binNs: number;
  readonly #sums: ReadonlyMap<string, Float64Array>;
  readonly #forgotten: number;

  /** `forgotten`: bins before the first that there is. */
  constructor(lane: LaneInfo, binNs: number, sums: ReadonlyMap<string, Float64Array>, forgotten = 0) {
    this.lane = lane;
    this.#binNs = binNs;
    this.#sums = sums;
    this.#forgotten = forgotten;
    this.subjects = new Set([...sums.keys()].map(key => key.slice(key.indexOf('\n') + 1)));
    this.ownKey = [...this.subjects].find(key => key === laneKey || key.startsWith(`${laneKey}:`)) ?? laneKey;
  }

  has(subject: string, metric: Metric): boolean {
    return this.#sums.has(seriesKey(subject, metric));
  }

  /** Growth of a subject's counter between two moments. */
  between(subject: string, metric: Metric, from: number, to: number): number {
    const sums = this.#sums.get(seriesKey(subject, metric));
    if (sums === undefined) return 0;
    return standing(sums, to / this.#binNs - this.#forgotten) - standing(sums, from / this.#binNs - this.#forgotten);
  }

  /** The end of the first bin in which it counted anything; undefined where it never did. */
  first(subject: string, metric: Metric): number | undefined {
    const at = this.#sums.get(seriesKey(subject, metric))?.findIndex(sum => sum > 0) ?? -1;
    return at < 0 ? undefined : (this.#forgotten + at) * this.#binNs;
  }

  /** The end of the last bin in which it counted anything. */
  last(subject: string, metric: Metric): number | undefined {
    const sums = this.#sums.get(seriesKey(subject, metric));
    const all = sums?.at(-1) ?? 0;
    if (sums === undefined || all <= 0) return undefined;
    return (this.#forgotten + sums.findIndex(sum => sum >= all)) * this.#binNs;
  }
}

const STATE_CODES: ReadonlySet<number> = new Set(
  (['blocked', 'starved', 'backpressured'] as const).map(state => METRICS[state].code),
);

const laneKey = subjectKeys.lane;

const seriesKey = (subject: string, metric: Metric): string => `${metric}\n${subject}`;

function enlarged(bins: Float64Array, least: number, most: number): Float64Array {
  let length = bins.length;
  while (length < least) length *= 2;
  const larger = new Float64Array(Math.max(least, Math.min(length, most)));
  larger.set(bins);
  return larger;
}

/** One longer than the bins: what was counted before each of them, and in all. */
function runningSums(bins: Float64Array): Float64Array {
  const sums = new Float64Array(bins.length + 1);
  for (let at = 0; at < bins.length; at++) sums[at + 1] = (sums[at] ?? 0) + (bins[at] ?? 0);
  return sums;
}

/** Count before a position, which may lie inside a bin. */
function standing(sums: Float64Array, position: number): number {
  const at = Math.max(0, Math.min(sums.length - 1, position));
  const below = Math.floor(at);
  const low = sums[below] ?? 0;
  const high = sums[below + 1] ?? low;
  return low + (high - low) * (at - below);
}
