import { entryOf } from '../../math/groups.ts';
import { type Pair, ratio, ratioEstimate } from '../../math/ratio.ts';
import { CONFIDENCE, type Interval } from '../../math/statistics.ts';
import { predictionHalfWidth } from '../../math/student.ts';
import { sumOf } from '../../math/totals.ts';
import type { End } from '../../model/end.ts';
import type { Operator } from '../../model/graph.ts';
import type { Metric } from '../../model/metric.ts';
import { subject } from '../../model/record.ts';
import { NS_PER_SECOND } from '../../model/units.ts';
import { growthOf, type LaneTimeline, ownGrowth, type Timeline } from '../timeline.ts';
import { stateTimes } from './lane-states.ts';
import { type SampledOperator, sampledOf } from './stage-cpu.ts';
import type { SteadyPart } from './steady.ts';

/** Least number of timed elements of an operator in the steady part for an estimate from that part alone. */
const ENOUGH = 16;
/** Parts of the steady part, from whose variation the intervals are estimated. */
const PARTS = 20;
/** Longer parts of it, in which single chunks no longer show, from which it is estimated how one run differs from another. */
const LONG_PARTS = 5;

/** Sums over the steady part of a run, and the same per element that came to an end. */
export class Account {
  readonly timeline: Timeline;
  readonly completions: number;
  readonly ns: number;
  readonly #steady: SteadyPart;
  readonly #ends: readonly End[];
  /** By the number of parts: completions in each of them. */
  readonly #completedIn = new Map<number, readonly number[]>();

  constructor(timeline: Timeline, ends: readonly End[], steady: SteadyPart) {
    this.timeline = timeline;
    this.#ends = ends;
    this.#steady = steady;
    this.ns = steady.to - steady.from;
    this.completions = this.#completed(steady.from, steady.to);
  }

  #completed(from: number, to: number): number {
    return sumOf(this.#ends, ({ operator, counted }) => this.#between(operator, counted, from, to));
  }

  /** Growth of a counter that lanes have of themselves, in the steady part. */
  own(lanes: readonly LaneTimeline[], metric: Metric): number {
    return ownGrowth(lanes, metric, this.#steady.from, this.#steady.to);
  }

  /** Growth of a counter of the process or the machine; undefined where it was not recorded. */
  process(metric: Metric, factor: number): number | undefined {
    return this.#outside(metric, factor, this.#steady.from, this.#steady.to);
  }

  #outside(metric: Metric, factor: number, from: number, to: number): number | undefined {
    let sum: number | undefined;
    for (const lane of this.timeline.lanes) {
      for (const key of [subject.process, subject.host]) {
        if (lane.has(key, metric)) sum = (sum ?? 0) + factor * lane.between(key, metric, from, to);
      }
    }
    return sum;
  }

  cpuBetween(from: number, to: number): number {
    const inLanes = ownGrowth(this.timeline.lanes, 'running', from, to);
    return Math.max(inLanes, this.#outside('processCpu', 1000, from, to) ?? 0);
  }

  /** Growth of an operator's counter in the steady part, summed over all lanes. */
  of(id: string, metric: Metric): number {
    return this.#between(id, metric, this.#steady.from, this.#steady.to);
  }

  #between(id: string, metric: Metric, from: number, to: number): number {
    return growthOf(this.timeline.lanes, subject.operator(id), metric, from, to);
  }

  /** An operator's completions in the steady part. */
  completionsOf(id: string): number {
    return this.of(id, 'elementsOut') || this.of(id, 'elementsIn');
  }

  /**
   * Timed elements of an operator in the steady part: before it, code was not compiled yet and took many times as long.
   * Where those are too few, the timed elements of the whole run.
   */
  sampled(operator: Operator): SampledOperator {
    const { id } = operator;
    const enough = this.of(id, 'sampledElements') >= ENOUGH;
    const timed = (metric: Metric): number =>
      enough ? this.of(id, metric) : this.#between(id, metric, 0, this.timeline.end);
    const worked = this.of(id, 'elementsIn') || this.of(id, 'elementsOut');
    const part = Math.min(1, ratio(worked, timed('sampledElements')));
    return sampledOf(operator, worked, metric => timed(metric) * part);
  }

  each(amount: number): number {
    return ratio(amount, this.completions);
  }

  rate(): Interval {
    return scaled(ratioEstimate(this.#pairs((from, to) => to - from).map(swap), CONFIDENCE), NS_PER_SECOND);
  }

  /** Half-width of the interval that holds the rate of one more fifth of the run / its mean. */
  variation(): number {
    const counts = this.#pairs((from, to) => to - from, LONG_PARTS).map(({ x }) => x);
    const mean = sumOf(counts, count => count) / counts.length;
    return mean > 0 ? predictionHalfWidth(counts, CONFIDENCE) / mean : 0;
  }

  /** Seconds per completion, from something that gives ns between two moments. */
  demand(time: (from: number, to: number) => number): Interval {
    return scaled(ratioEstimate(this.#pairs(time), CONFIDENCE), 1 / NS_PER_SECOND);
  }

  #pairs(amount: (from: number, to: number) => number, parts = PARTS): Pair[] {
    const { from } = this.#steady;
    const width = this.ns / parts;
    const completed = entryOf(this.#completedIn, parts, () =>
      Array.from({ length: parts }, (_, part) => this.#completed(from + part * width, from + part * width + width)),
    );
    return completed.map((x, part) => {
      const start = from + part * width;
      return { y: amount(start, start + width), x };
    });
  }

  statesOf(lanes: readonly LaneTimeline[]): ReturnType<typeof stateTimes>[] {
    return lanes.map(lane => stateTimes(lane, this.#steady.from, this.#steady.to));
  }
}

const swap = ({ x, y }: Pair): Pair => ({ x: y, y: x });

const scaled = ({ estimate, low, high, confidence }: Interval, by: number): Interval => ({
  estimate: Number.isFinite(estimate) ? estimate * by : 0,
  low: Number.isFinite(low) ? low * by : 0,
  high: high * by,
  confidence,
});
