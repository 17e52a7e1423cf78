import { cutsPasses, repeatsOf, type Topology, topologyOf } from '../../graph/topology.ts';
import { type Pair, ratioEstimate } from '../../math/ratio.ts';
import type { Interval } from '../../math/statistics.ts';
import type { Graph, Operator } from '../../model/graph.ts';
import type { Metric } from '../../model/metric.ts';
import { subject } from '../../model/record.ts';
import type { RunRows } from '../rates/operators.ts';
import type { Timeline } from '../timeline.ts';
import { exactly, mapped, product, sum } from './estimate.ts';
import { type SourceSample, sourceRecords } from './source.ts';

const CONFIDENCE = 0.9;
/** Parts that a run is divided into, to see how much sizes vary: few and long, for what lies in one file is alike. */
const PARTS = 10;
/** Records of one file are alike: with fewer files than this, and where files are not counted, stretches stand for them. */
const LEAST_FILES = 4;
const STRETCHES = 3;
/** What the source has read of all its passes is counted in millionths. */
const WHOLE = 1e6;

/** What the output of an operator would take if it were kept. */
export interface OperatorSize {
  readonly id: string;
  /**
   * Elements that leave it in one pass of its own; infinite behind an endless repeat; undefined where nobody knows. The interval has no upper
   * end where passes were cut short, so that there may be more than was ever seen.
   */
  readonly elements: Interval | undefined;
  readonly bytesPerElement: Interval | undefined;
  readonly bytes: Interval | undefined;
}

export interface SizeFacts {
  readonly graph: Graph;
  readonly rows: RunRows;
  readonly timeline: Timeline;
  /** The run went to its end: everything there was has been counted. */
  readonly completed: boolean;
  /** It went on where another had stopped: what came before was counted there. */
  readonly resumed: boolean;
}

/** Cardinality and materialised size at every operator, carried from the sources downstream. */
export function operatorSizes(facts: SizeFacts): OperatorSize[] {
  const { graph } = facts;
  const topology = topologyOf(graph.operators);
  const cardinalities = new Cardinalities(facts, topology);
  const counts = new Counts(facts);
  for (const operator of topology.nodes) cardinalities.add(operator);
  return graph.operators.map(({ id }) => {
    const count = cardinalities.of(id);
    const each = counts.bytesPerElement(id, count);
    return {
      id,
      elements: count,
      bytesPerElement: each,
      bytes: count === undefined || each === undefined ? undefined : product(count, each),
    };
  });
}

/** Elements in a pass, of one operator after the other. */
class Cardinalities {
  readonly #facts: SizeFacts;
  readonly #counts: Counts;
  readonly #topology: Topology<Operator>;
  readonly #known = new Map<string, Interval | undefined>();

  constructor(facts: SizeFacts, topology: Topology<Operator>) {
    this.#facts = facts;
    this.#counts = new Counts(facts);
    this.#topology = topology;
  }

  of(id: string): Interval | undefined {
    return this.#known.get(id);
  }

  /** To be called upstream first. */
  add(operator: Operator): void {
    this.#known.set(operator.id, this.#elements(operator));
  }

  /** All that there was of every pass has been counted. */
  get #isWhole(): boolean {
    return this.#facts.completed && !this.#facts.resumed;
  }

  #elements(operator: Operator): Interval | undefined {
    const { id, inputs, cache, joins, limit, drops } = operator;
    if (inputs.length === 0) return this.#ofSource(operator);
    if (cache !== undefined && this.#isWhole) return this.#ofCache(operator);
    const arriving = inputs.map(input => this.#arriving(id, input, inputs.length));
    if (arriving.some(each => each === undefined)) return undefined;
    const given = arriving.filter(each => each !== undefined);
    const joined = joins === 'shortest' ? given.reduce((a, b) => (b.estimate < a.estimate ? b : a)) : sum(given);
    if (operator.repeats !== undefined) return mapped(joined, value => value * repeatsOf(operator));
    if (limit !== undefined) return mapped(joined, value => Math.min(value, limit));
    if (drops !== undefined) return mapped(joined, value => Math.max(0, value - drops));
    // Found on disk: nothing had to come from upstream.
    if (cache !== undefined) return this.#arrived(operator) > 0 ? joined : undefined;
    if (handsAllOn(operator) || joins === 'shortest' || joined.estimate === 0) return joined;
    if (this.#counts.total(id, 'elementsIn') === 0) return undefined;
    return product(joined, this.#counts.ratio(id, 'elementsOut', id, 'elementsIn', this.#isWhole ? 1 : 0));
  }

  /** Of what leaves `input`, the part that gets to `id`, one of whose inputs it is. */
  #arriving(id: string, input: string, inputs: number): Interval | undefined {
    const from = this.#known.get(input);
    // Where several read from one operator, each may get a part of its elements only.
    const at = this.#topology.at(input);
    if (from === undefined || at === undefined || this.#topology.readers(at).length < 2 || inputs > 1) return from;
    const got = this.#counts.total(id, 'elementsIn') / this.#counts.total(input, 'elementsOut');
    return Number.isFinite(got) ? product(from, exactly(Math.min(1, got))) : undefined;
  }

  /** What left the operators that it reads from. What a cache gives, time and again, is counted as if it had entered it. */
  #arrived({ inputs }: Operator): number {
    return inputs.reduce((total, input) => total + this.#counts.total(input, 'elementsOut'), 0);
  }

  /** What a cache holds is what came to it; or what it found on disk, where nothing did. */
  #ofCache(cache: Operator): Interval | undefined {
    const kept = this.#arrived(cache);
    if (kept === 0) return this.#inAPass(cache);
    if (this.#cutting(cache).length === 0) return exactly(kept);
    // What was on its way to it when nobody wanted more is not kept.
    const given = this.#counts.total(cache.id, 'elementsOut') / this.#topology.passes(cache);
    return { estimate: kept, low: Math.min(kept, given), high: kept, confidence: CONFIDENCE };
  }

  #ofSource(source: Operator): Interval | undefined {
    const { id, total } = source;
    if (total !== undefined) return exactly(total);
    const passes = this.#topology.passes(source);
    const cutting = this.#cutting(source);
    if (this.#isWhole && cutting.length === 0) {
      // One that was never asked, because a cache was found on disk, says nothing of itself.
      const isIdle = this.#counts.total(id, 'elementsOut') === 0 && this.#isSpared(source);
      return isIdle ? undefined : this.#inAPass(source);
    }
    // Of passes that are cut again and again each counts as read to its end; and one that is resumed was partly read before.
    const isCutAgain = passes > 1 && cutting.some(reader => this.#topology.passes(reader) > 1);
    const done = this.#counts.total(id, 'sourceDone') / WHOLE;
    const isTold = done > 0 && Number.isFinite(passes) && !this.#facts.resumed && !isCutAgain;
    if (!isTold) return this.#isWhole ? this.#inAPass(source) : undefined;
    // Read to its end in every pass, whatever became of the rest of the run.
    if (cutting.length === 0 && done >= passes) return this.#inAPass(source);
    const samples = this.#counts.sourceSamples(id);
    return mapped(sourceRecords(WHOLE, samples, CONFIDENCE), value => value / passes);
  }

  /** What left it in the mean of its passes, when all are over. Where these were cut short, there may be more. */
  #inAPass(source: Operator): Interval | undefined {
    const passes = this.#topology.passes(source);
    if (!Number.isFinite(passes)) return undefined;
    const seen = this.#counts.total(source.id, 'elementsOut') / passes;
    if (this.#cutting(source).length === 0) return exactly(seen);
    return { estimate: seen, low: seen, high: Number.POSITIVE_INFINITY, confidence: CONFIDENCE };
  }

  /** Who downstream of it wants no more before a pass has come to its end. */
  #cutting(source: Operator): Operator[] {
    return [...this.#topology.downstream(source)].filter(reader => {
      if (!cutsPasses(reader)) return false;
      if (reader.limit === undefined) return true;
      return this.#counts.total(reader.id, 'elementsOut') >= reader.limit * this.#topology.passes(reader);
    });
  }

  /** A cache downstream had elements without asking for any. */
  #isSpared(source: Operator): boolean {
    return [...this.#topology.downstream(source)].some(
      reader =>
        reader.cache !== undefined && this.#arrived(reader) === 0 && this.#counts.total(reader.id, 'elementsOut') > 0,
    );
  }
}

/** All that it gets leaves it; some of it may still be inside when a run is looked at. */
const handsAllOn = ({ elements, parameters }: Operator): boolean =>
  elements === 'same' && parameters?.buffer !== undefined;

/** What was counted of operators, over the run and over its parts. */
class Counts {
  readonly #facts: SizeFacts;

  constructor(facts: SizeFacts) {
    this.#facts = facts;
  }

  total(id: string, metric: Metric): number {
    // Counts are whole, and were spread over time.
    return Math.round(this.#between(id, metric, 0, Number.POSITIVE_INFINITY));
  }

  #between(id: string, metric: Metric, from: number, to: number): number {
    const key = subject.operator(id);
    return this.#facts.timeline.lanes.reduce((total, lane) => total + lane.between(key, metric, from, to), 0);
  }

  parts(top: string, topMetric: Metric, bottom: string, bottomMetric: Metric): Pair[] {
    const width = this.#facts.timeline.end / PARTS;
    return Array.from({ length: PARTS }, (_, part) => ({
      y: this.#between(top, topMetric, part * width, (part + 1) * width),
      x: this.#between(bottom, bottomMetric, part * width, (part + 1) * width),
    }));
  }

  /** What was read between the ends of files; where those are not recorded, in some long stretches. */
  sourceSamples(id: string): SourceSample[] {
    const { binNs, end } = this.#facts.timeline;
    const samples: SourceSample[] = [];
    let from = 0;
    if (this.total(id, 'sourceFiles') >= LEAST_FILES) {
      for (let at = binNs; at < end + binNs; at += binNs) {
        if (this.#between(id, 'sourceFiles', from, at) < 1 - 1e-6) continue;
        samples.push(this.#sample(id, from, at));
        from = at;
      }
    }
    if (samples.length >= LEAST_FILES) return samples;
    const width = end / STRETCHES;
    return Array.from({ length: STRETCHES }, (_, part) => this.#sample(id, part * width, (part + 1) * width));
  }

  #sample(id: string, from: number, to: number): SourceSample {
    return {
      bytes: this.#between(id, 'sourceDone', from, to),
      records: this.#between(id, 'elementsOut', from, to),
    };
  }

  ratio(top: string, topMetric: Metric, bottom: string, bottomMetric: Metric, sampled: number): Interval {
    return ratioEstimate(this.parts(top, topMetric, bottom, bottomMetric), CONFIDENCE, Math.min(1, sampled));
  }

  bytesPerElement(id: string, elements: Interval | undefined): Interval | undefined {
    const seen = this.total(id, 'elementsOut');
    if (seen === 0 || this.total(id, 'bytesOut') === 0) return undefined;
    const sampled = elements === undefined || elements.estimate === 0 ? 0 : seen / elements.estimate;
    return this.ratio(id, 'bytesOut', id, 'elementsOut', this.#facts.completed && !this.#facts.resumed ? 1 : sampled);
  }
}
