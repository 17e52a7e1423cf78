import type { Analysis } from '../../analysis/analysis.ts';
import { isSink } from '../../model/sink.ts';
import { slownessOf } from './speed.ts';

/**
 * What handing one element on costs both sides together, in seconds, and each of its bytes: encoding, two copies,
 * decoding. A first guess, corrected by what a recording shows of its own channels.
 */
const PER_ELEMENT = 80e-9;
const PER_BYTE = 0.5e-9;
/**
 * Of a typed array, beside its bytes, in seconds: copied by itself where it is given, memory of its own where it is taken, got and freed,
 * and what the collector's own threads do about it. Measured behind caches, in processes as the command line starts them; between quiet
 * hours of a shared machine and disturbed ones.
 */
const PER_ARRAY = { given: 0.2e-6, taken: 0.3e-6, freed: 0.04e-6 };
/** What looking at a byte takes that lies in memory only, s, where a recording shows what it takes in the processor's caches. */
const PER_COLD_BYTE = 0.08e-9;

/** So many elements of so many bytes together, for each that leaves the pipeline. */
export interface Handed {
  readonly visits: number;
  readonly bytes: number;
  /** Typed arrays among them with memory of their own. */
  readonly arrays: number;
  /** What the machine takes for handing them on, in parts of what is reckoned. */
  readonly slowness: number;
}

/** Seconds that each side of a channel takes to hand them on, as reckoned. */
export const crossing = ({ visits, bytes, slowness }: Handed): number =>
  (slowness * (visits * PER_ELEMENT + bytes * PER_BYTE)) / 2;

/** And for the typed arrays among them, which no recording has to correct: on the one side, and on the other. */
export const givingArrays = ({ arrays, slowness }: Handed): number => slowness * arrays * PER_ARRAY.given;
export const takingArrays = ({ arrays, slowness }: Handed): number => slowness * arrays * PER_ARRAY.taken;

/**
 * What handing an array from one busy thread to another takes, in parts of what is reckoned: its memory is got in the one and freed where the
 * other is, too. A second thread for padding sentences took 0.06 to 0.08 ms more CPU for each batch with thirty arrays.
 */
export const BETWEEN_THREADS = 3;

/** The same, handed on between two threads that are both kept busy. */
export const betweenThreads = (handed: Handed): Handed => ({ ...handed, arrays: BETWEEN_THREADS * handed.arrays });

/** Seconds for handing them to a channel, where that takes `factor` times what is reckoned. */
export const giving = (handed: Handed, factor: number): number => crossing(handed) * factor + givingArrays(handed);

/** And for taking them out of it, or out of memory in which they were kept. */
export const taking = (handed: Handed, factor: number): number => crossing(handed) * factor + takingArrays(handed);

/** Seconds more that whoever looks at them first takes, where they come out of a cache and not from whoever made them. */
export const cold = ({ bytes }: Handed): number => bytes * PER_COLD_BYTE;

/** Seconds that the collector takes, in threads of its own, for what was taken out. */
export const collecting = ({ arrays, slowness }: Handed): number => slowness * arrays * PER_ARRAY.freed;

/** What leaves an operator for each element that is counted. */
export function handedBy(analysis: Analysis, id: string): Handed {
  const { graph, rates, rows, sizes } = analysis;
  const isEnd = graph.operators.some(operator => operator.id === id && isSink(operator));
  const visits = isEnd ? 0 : (rates.operators.find(operator => operator.id === id)?.visitRatio ?? 0);
  const row = rows.operators.find(operator => operator.id === id);
  const size = sizes.find(operator => operator.id === id);
  const each =
    size?.bytesPerElement?.estimate ??
    (row?.bytesOut === undefined || !(row.elementsOut > 0) ? 0 : row.bytesOut / row.elementsOut);
  const arrays = row?.arraysOut === undefined || !(row.elementsOut > 0) ? 0 : row.arraysOut / row.elementsOut;
  return { visits, bytes: visits * each, arrays: visits * arrays, slowness: slownessOf(analysis) };
}

/** What handing on takes is never taken to be less or more than this part of what is reckoned. */
const LEAST_FACTOR = 0.2;
const MOST_FACTOR = 2.5;
/** A recording of so many elements is believed as much as the guess: the first find channels whose memory nobody has touched. */
const BELIEVED = 30;

/**
 * What handing elements on takes, typed arrays left out, in parts of what is reckoned for the channels of a recording. What arrays take is
 * reckoned too, `arraysFactor` times as much as here: the less is left beside them, the less is learnt from it.
 */
export function crossingFactor(analysis: Analysis, arraysFactor = 1): number {
  const { stages, completions } = analysis.rates;
  const recorded = stages.reduce((sum, { overheadDemand }) => sum + overheadDemand, 0);
  const reckoned = atChannels(analysis, crossing, crossing);
  if (!(reckoned > 0) || !(recorded > 0)) return 1;
  const rest = Math.max(0, recorded - arraysFactor * atChannels(analysis, givingArrays, takingArrays));
  const factor = Math.min(MOST_FACTOR, Math.max(LEAST_FACTOR, rest / reckoned));
  const believed = completions / (completions + BELIEVED);
  return 1 + (factor - 1) * (rest / recorded) * believed;
}

type Cost = (handed: Handed) => number;

/** What is reckoned for the stages of a recording: of every channel, each side that is a stage. */
function atChannels(analysis: Analysis, given: Cost, taken: Cost): number {
  const { graph, rates } = analysis;
  const staged = new Set(rates.stages.flatMap(({ operators }) => operators));
  return graph.channels.reduce((sum, { from, to }) => {
    const handed = handedBy(analysis, from);
    return sum + (staged.has(from) ? given(handed) : 0) + (staged.has(to) ? taken(handed) : 0);
  }, 0);
}
