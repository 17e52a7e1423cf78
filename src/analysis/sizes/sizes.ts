import { cutsPasses, repeatsOf, type Topology, topologyOf } from '../../graph/topology.ts';
import { type Pair, ratioEstimate } from '../../math/ratio.ts';
import { CONFIDENCE, type Interval } from '../../math/statistics.ts';
import { sumOf } from '../../math/totals.ts';
import type { Graph, Operator } from '../../model/graph.ts';
import type { Metric } from '../../model/metric.ts';
import { subject } from '../../model/record.ts';
import type { RunRows } from '../rates/operators.ts';
import { growthOf, type Timeline } from '../timeline.ts';
import { exactly, fewest, isOpen, mapped, product, sum } from './estimate.ts';
import { type SourceSample, sourceRecords } from './source.ts';

/** Intervals that a run is divided into, from whose variation errors are estimated: few and long, because records of one file are alike. */
const PARTS = 10;
/** Least number of files that serve as samples of a source. With fewer, and where files are not counted, intervals of time do. */
const LEAST_FILES = 4;
const SOURCE_INTERVALS = 3;
/** Progress of a source over all its passes is counted in millionths. */
const WHOLE = 1e6;

/** Size of an operator's output if it were cached. */
export interface OperatorSize {
  readonly id: string;
  /**
   * Elements that leave it in one pass of its own; infinite behind an endless repeat; undefined where unknown. The interval has no upper
   * end where passes were cut short, because there may be more than was ever seen.
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
  const counts = new Counts(facts);
  const cardinalities = new Cardinalities(facts, counts);
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

/** Elements of each operator in a pass. */
class Cardinalities {
  readonly #facts: SizeFacts;
  readonly #counts: Counts;
  readonly #topology: Topology<Operator>;
  readonly #known = new Map<string, Interval | undefined>();

  constructor(facts: SizeFacts, counts: Counts) {
    this.#facts = facts;
    this.#counts = counts;
    this.#topology = topologyOf(facts.graph.operators);
    // Upstream first: each is derived from its inputs.
    for (const operator of this.#topology.nodes) this.#known.set(operator.id, this.#elements(operator));
  }

  of(id: string): Interval | undefined {
    return this.#known.get(id);
  }

  /** Every element of every pass has been counted. */
  get #isWhole(): boolean {
    return this.#facts.completed && !this.#facts.resumed;
  }

  #elements(operator: Operator): Interval | undefined {
    const { id, inputs, cache, limit, drops } = operator;
    if (inputs.length === 0) return this.#ofSource(operator);
    if (cache !== undefined && this.#isWhole) return this.#ofCache(operator);
    const joined = this.#joined(operator);
    if (joined === undefined) return undefined;
    if (operator.repeats !== undefined) return mapped(joined, value => value * repeatsOf(operator));
    if (limit !== undefined) return mapped(joined, value => Math.min(value, limit));
    if (drops !== undefined) return mapped(joined, value => Math.max(0, value - drops));
    // Found on disk: nothing had to come from upstream.
    if (cache !== undefined) return this.#arrived(operator) > 0 ? joined : undefined;
    if (handsAllOn(operator) || operator.joins === 'shortest' || joined.estimate === 0) return joined;
    if (this.#counts.total(id, 'elementsIn') === 0) return undefined;
    return product(joined, this.#counts.ratio(id, 'elementsOut', 'elementsIn', this.#isWhole ? 1 : 0));
  }

  /** Elements that arrive in a pass, on all inputs together; of a join that ends with its shortest input, those that leave it. */
  #joined(operator: Operator): Interval | undefined {
    const { id, inputs, joins } = operator;
    const arriving = inputs.map(input => this.#arriving(id, input, inputs.length));
    const given = arriving.filter(each => each !== undefined);
    const isKnown = given.length === arriving.length;
    if (joins !== 'shortest') return isKnown ? sum(given) : undefined;
    const shortest = isKnown ? fewest(given) : undefined;
    return shortest === undefined || isOpen(shortest) ? (this.#ofShortest(operator) ?? shortest) : shortest;
  }

  /** A join that ends with its shortest input, by what left it: what its inputs have beyond that does not matter. */
  #ofShortest(join: Operator): Interval | undefined {
    if (this.#counts.total(join.id, 'elementsOut') === 0) return undefined;
    if (this.#isWhole) return this.#inAPass(join);
    const passes = this.#topology.passes(join);
    if (this.#facts.resumed || !Number.isFinite(passes) || this.#cutting(join).length > 0) return undefined;
    const sources = [...this.#topology.upstream(join)].filter(({ inputs }) => inputs.length === 0);
    const isTold = sources.every(
      source => this.#topology.passes(source) === passes && this.#counts.total(source.id, 'sourceDone') > 0,
    );
    // Progress in a longer input stays behind that of the join, which by it would have more elements.
    return isTold ? fewest(sources.map(source => this.#inPasses(source, join, passes))) : undefined;
  }

  /** Elements that leave an operator in a pass, from the progress of a source upstream of it. */
  #inPasses(source: Operator, { id }: Operator, passes: number): Interval {
    const records = sourceRecords(WHOLE, this.#counts.sourceSamples(source.id, id), CONFIDENCE);
    return mapped(records, value => value / passes);
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

  /** Elements that left its inputs. Those that entered are no measure: a cache counts there what it gives in later passes, too. */
  #arrived({ inputs }: Operator): number {
    return sumOf(inputs, input => this.#counts.total(input, 'elementsOut'));
  }

  /** Elements in a cache: those that arrived, or those found on disk where none did. */
  #ofCache(cache: Operator): Interval | undefined {
    const kept = this.#arrived(cache);
    if (kept === 0) return this.#inAPass(cache);
    if (this.#cutting(cache).length === 0) return exactly(kept);
    // Elements under way to it when no more were wanted are not kept.
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
    return this.#inPasses(source, source, passes);
  }

  /** What left it in the mean of its passes, when all are over. Where these were cut short, there may be more. */
  #inAPass(source: Operator): Interval | undefined {
    const passes = this.#topology.passes(source);
    if (!Number.isFinite(passes)) return undefined;
    const seen = this.#counts.total(source.id, 'elementsOut') / passes;
    if (this.#cutting(source).length === 0) return exactly(seen);
    return { estimate: seen, low: seen, high: Number.POSITIVE_INFINITY, confidence: CONFIDENCE };
  }

  /** Operators downstream that end a pass early. */
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

/** Every element that enters leaves it, though some may still be inside at the end of a recording. */
const handsAllOn = ({ elements, parameters }: Operator): boolean =>
  elements === 'same' && parameters?.buffer !== undefined;

/** Counters of operators, over the run and over parts of it. */
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
    return growthOf(this.#facts.timeline.lanes, subject.operator(id), metric, from, to);
  }

  /** Elements that left operator `counted` between the ends of a source's files; where those are not recorded, in a few long intervals. */
  sourceSamples(id: string, counted: string): SourceSample[] {
    const { binNs, end } = this.#facts.timeline;
    const samples: SourceSample[] = [];
    let from = 0;
    if (this.total(id, 'sourceFiles') >= LEAST_FILES) {
      for (let at = binNs; at < end + binNs; at += binNs) {
        if (this.#between(id, 'sourceFiles', from, at) < 1 - 1e-6) continue;
        samples.push(this.#sample(id, counted, from, at));
        from = at;
      }
    }
    if (samples.length >= LEAST_FILES) return samples;
    const width = end / SOURCE_INTERVALS;
    return Array.from({ length: SOURCE_INTERVALS }, (_, part) =>
      this.#sample(id, counted, part * width, (part + 1) * width),
    );
  }

  #sample(id: string, counted: string, from: number, to: number): SourceSample {
    return {
      bytes: this.#between(id, 'sourceDone', from, to),
      records: this.#between(counted, 'elementsOut', from, to),
    };
  }

  /** Ratio of two counters of an operator. `sampled`: the part of all its elements that was seen. */
  ratio(id: string, top: Metric, bottom: Metric, sampled: number): Interval {
    const width = this.#facts.timeline.end / PARTS;
    const pairs = Array.from({ length: PARTS }, (_, part): Pair => {
      const [from, to] = [part * width, (part + 1) * width];
      return { y: this.#between(id, top, from, to), x: this.#between(id, bottom, from, to) };
    });
    return ratioEstimate(pairs, CONFIDENCE, Math.min(1, sampled));
  }

  bytesPerElement(id: string, elements: Interval | undefined): Interval | undefined {
    const seen = this.total(id, 'elementsOut');
    if (seen === 0 || this.total(id, 'bytesOut') === 0) return undefined;
    const sampled = elements === undefined || elements.estimate === 0 ? 0 : seen / elements.estimate;
    return this.ratio(id, 'bytesOut', 'elementsOut', this.#facts.completed && !this.#facts.resumed ? 1 : sampled);
  }
}
