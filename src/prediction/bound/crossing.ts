import type { Analysis } from '../../analysis/analysis.ts';
import { slownessOf } from './speed.ts';

/**
 * Channel overhead per element and per byte, s, both sides together: encoding, two copies, decoding. A prior, corrected by
 * the overhead that a recording shows of its own channels (`crossingFactor`).
 */
const PER_ELEMENT = 80e-9;
const PER_BYTE = 0.5e-9;
/**
 * Channel overhead per typed array, s, in addition to its bytes: `given`, copying it on the sending side; `taken`, allocating and
 * freeing its memory on the receiving side; `freed`, the collector's own threads. Measured behind caches, in processes as the
 * command line starts them, as a value between quiet and disturbed hours of a shared machine.
 */
const PER_ARRAY = { given: 0.2e-6, taken: 0.3e-6, freed: 0.04e-6 };
/** Extra time to read a byte from memory rather than from the processor's caches, s. */
const PER_COLD_BYTE = 0.08e-9;

/** Traffic over a channel per element that leaves the pipeline. */
export interface Handed {
  readonly visits: number;
  readonly bytes: number;
  /** Typed arrays among them with memory of their own. */
  readonly arrays: number;
  /** Time of the constants above on this machine / on the machine they were measured on. */
  readonly slowness: number;
}

/** Modelled channel overhead of each side, s, typed arrays excluded. */
export const crossing = ({ visits, bytes, slowness }: Handed): number =>
  (slowness * (visits * PER_ELEMENT + bytes * PER_BYTE)) / 2;

/** Modelled overhead of typed arrays, s, on the sending and on the receiving side. No recording corrects it. */
export const givingArrays = ({ arrays, slowness }: Handed): number => slowness * arrays * PER_ARRAY.given;
export const takingArrays = ({ arrays, slowness }: Handed): number => slowness * arrays * PER_ARRAY.taken;

/**
 * Ratio of the overhead of arrays between two busy threads to that behind a cache: both threads allocate and free at the same
 * time. A second thread for padding sentences took 0.06 to 0.08 ms more CPU for each batch with thirty arrays.
 */
export const BETWEEN_THREADS = 3;

/** The same traffic between two busy threads. */
export const betweenThreads = (handed: Handed): Handed => ({ ...handed, arrays: BETWEEN_THREADS * handed.arrays });

/** Overhead of the sending side, s, with `factor` the ratio of measured to modelled overhead. */
export const giving = (handed: Handed, factor: number): number => crossing(handed) * factor + givingArrays(handed);

/** Overhead of the receiving side, s, of a channel or of a cache in memory. */
export const taking = (handed: Handed, factor: number): number => crossing(handed) * factor + takingArrays(handed);

/** Extra time of the first operator behind a cache, s: its elements are not in the processor's caches. */
export const cold = ({ bytes }: Handed): number => bytes * PER_COLD_BYTE;

/** CPU of the garbage collector's threads for what was received, s. */
export const collecting = ({ arrays, slowness }: Handed): number => slowness * arrays * PER_ARRAY.freed;

/** What leaves an operator for each element that is counted. */
export function handedBy(analysis: Analysis, id: string): Handed {
  const { graph, rates, rows, sizes } = analysis;
  const isEnd = graph.operators.some(operator => operator.id === id && operator.sink === true);
  const visits = isEnd ? 0 : (rates.operators.find(operator => operator.id === id)?.visitRatio ?? 0);
  const row = rows.operators.find(operator => operator.id === id);
  const size = sizes.find(operator => operator.id === id);
  const each =
    size?.bytesPerElement?.estimate ??
    (row?.bytesOut === undefined || !(row.elementsOut > 0) ? 0 : row.bytesOut / row.elementsOut);
  const arrays = row?.arraysOut === undefined || !(row.elementsOut > 0) ? 0 : row.arraysOut / row.elementsOut;
  return { visits, bytes: visits * each, arrays: visits * arrays, slowness: slownessOf(analysis) };
}

/** Limits of the ratio of measured to modelled channel overhead. */
const LEAST_FACTOR = 0.2;
const MOST_FACTOR = 2.5;
/** Elements at which recording and prior weigh the same: the first ones meet channel memory that nobody has touched. */
const BELIEVED = 30;

/**
 * Ratio of measured to modelled channel overhead, typed arrays excluded; shrunk towards 1 for short runs, and the more of the
 * measured overhead the arrays account for (`arraysFactor` times their modelled one).
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

/** Modelled overhead of a recording's channels, s: both sides of each, as far as they are stages. */
function atChannels(analysis: Analysis, given: Cost, taken: Cost): number {
  const { graph, rates } = analysis;
  const staged = new Set(rates.stages.flatMap(({ operators }) => operators));
  return graph.channels.reduce((sum, { from, to }) => {
    const handed = handedBy(analysis, from);
    return sum + (staged.has(from) ? given(handed) : 0) + (staged.has(to) ? taken(handed) : 0);
  }, 0);
}
