import { type Pair, ratioEstimate } from '../../math/ratio.ts';
import type { Interval } from '../../math/statistics.ts';
import type { Graph, Operator } from '../../model/graph.ts';
import type { Metric } from '../../model/metric.ts';
import { subject } from '../../model/record.ts';
import type { RunRows } from '../rates/operators.ts';
import type { Timeline } from '../timeline.ts';
import { operatorsUpstreamFirst } from '../upstream-first.ts';
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
  /** Elements that leave it in one pass of its source; infinite behind an endless repeat; undefined where nobody knows. */
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
}

/** These hand on what they get; some of it may still be inside when a run is looked at. */
const PASSING = new Set(['shuffle', 'prefetch', 'cache']);

/** Cardinality and materialised size at every operator, carried from the sources downstream. */
export function operatorSizes(facts: SizeFacts): OperatorSize[] {
  const { graph } = facts;
  const elements = new Map<string, Interval | undefined>();
  const readers = new Map<string, number>();
  for (const { inputs } of graph.operators) for (const id of inputs) readers.set(id, (readers.get(id) ?? 0) + 1);
  const counts = new Counts(facts);
  for (const operator of operatorsUpstreamFirst(graph.operators)) {
    elements.set(operator.id, cardinality(operator, elements, readers, counts, facts));
  }
  return graph.operators.map(({ id }) => {
    const count = elements.get(id);
    const each = counts.bytesPerElement(id, count);
    return {
      id,
      elements: count,
      bytesPerElement: each,
      bytes: count === undefined || each === undefined ? undefined : product(count, each),
    };
  });
}

function cardinality(
  operator: Operator,
  known: ReadonlyMap<string, Interval | undefined>,
  readers: ReadonlyMap<string, number>,
  counts: Counts,
  facts: SizeFacts,
): Interval | undefined {
  const { id, kind, inputs, settings } = operator;
  if (inputs.length === 0) return sourceCardinality(operator, counts, facts);
  const arriving = inputs.map(input => {
    const from = known.get(input);
    // Where several read from one operator, each may get a part of its elements only.
    if (from === undefined || (readers.get(input) ?? 0) < 2 || inputs.length > 1) return from;
    return product(from, exactly(Math.min(1, counts.total(id, 'elementsIn') / counts.total(input, 'elementsOut'))));
  });
  if (arriving.some(each => each === undefined)) return undefined;
  const given = arriving.filter(each => each !== undefined);
  const joined = kind === 'zip' ? given.reduce((a, b) => (b.estimate < a.estimate ? b : a)) : sum(given);
  const count = typeof settings.count === 'number' ? settings.count : 0;
  switch (kind) {
    case 'repeat':
      return mapped(joined, value => value * timesOf(operator));
    case 'take':
      return mapped(joined, value => Math.min(value, count));
    case 'skip':
      return mapped(joined, value => Math.max(0, value - count));
    default:
      if (PASSING.has(kind) || kind === 'zip') return joined;
      return product(joined, counts.ratio(id, 'elementsOut', id, 'elementsIn', facts.completed ? 1 : 0));
  }
}

function sourceCardinality(operator: Operator, counts: Counts, facts: SizeFacts): Interval | undefined {
  const { id, kind, settings } = operator;
  if (kind === 'range' && typeof settings.count === 'number') return exactly(settings.count);
  const passes = passesOf(facts.graph, id);
  const read = counts.total(id, 'elementsOut');
  if (facts.completed && Number.isFinite(passes)) return exactly(read / passes);
  const done = counts.total(id, 'sourceDone') / WHOLE;
  if (!(done > 0) || !Number.isFinite(passes)) return undefined;
  const samples = counts.sourceSamples(id);
  return mapped(sourceRecords(WHOLE, samples, CONFIDENCE), value => value / passes);
}

const timesOf = ({ settings }: Operator): number =>
  settings.times === 'forever' ? Number.POSITIVE_INFINITY : Number(settings.times ?? 1);

/** How often everything downstream together makes a source start over. */
function passesOf(graph: Graph, source: string): number {
  const below = new Set([source]);
  let passes = 1;
  for (const operator of operatorsUpstreamFirst(graph.operators)) {
    if (!operator.inputs.some(input => below.has(input))) continue;
    below.add(operator.id);
    if (operator.kind === 'repeat') passes *= timesOf(operator);
  }
  return passes;
}

/** What was counted of operators, over the run and over its parts. */
class Counts {
  readonly #facts: SizeFacts;

  constructor(facts: SizeFacts) {
    this.#facts = facts;
  }

  total(id: string, metric: Metric): number {
    return this.#between(id, metric, 0, Number.POSITIVE_INFINITY);
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
    return this.ratio(id, 'bytesOut', id, 'elementsOut', this.#facts.completed ? 1 : sampled);
  }
}
