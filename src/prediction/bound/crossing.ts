import type { Analysis } from '../../analysis/analysis.ts';

/**
 * What handing one element on costs both sides together, in seconds, and each of its bytes: encoding, two copies,
 * decoding. A first guess, corrected by what a recording shows of its own channels.
 */
const PER_ELEMENT = 80e-9;
const PER_BYTE = 0.3e-9;
/**
 * Of a typed array, beside its bytes: copied by itself where it is given, memory of its own where it is taken, got and freed, and what the
 * collector's own threads do about it.
 */
const PER_ARRAY = { given: 0.35e-6, taken: 0.65e-6, freed: 0.05e-6 };

/** So many elements of so many bytes and typed arrays together, for each that leaves the pipeline. */
export interface Handed {
  readonly visits: number;
  readonly bytes: number;
  readonly arrays: number;
}

/** Seconds for handing them on, both sides together. */
export const crossing = ({ visits, bytes }: Handed): number => visits * PER_ELEMENT + bytes * PER_BYTE;

/** And for the typed arrays among them, which no recording has to correct. */
export const crossingArrays = ({ arrays }: Handed): number => arrays * (PER_ARRAY.given + PER_ARRAY.taken);

/** Both together, where handing on takes `factor` times what is reckoned. */
export const handing = (handed: Handed, factor: number): number => crossing(handed) * factor + crossingArrays(handed);

/**
 * Seconds for taking out of memory what was kept there: it is decoded as behind a channel, where that takes `factor` times what is
 * reckoned.
 */
export const rereading = (handed: Handed, factor = 1): number =>
  (crossing(handed) / 2) * factor + handed.arrays * PER_ARRAY.taken;

/** Seconds that the collector takes, in threads of its own, for what was taken out. */
export const collecting = ({ arrays }: Handed): number => arrays * PER_ARRAY.freed;

/** What leaves an operator for each element that leaves the pipeline. */
export function handedBy({ rates, rows, sizes }: Analysis, id: string): Handed {
  const visits = rates.operators.find(operator => operator.id === id)?.visitRatio ?? 0;
  const row = rows.operators.find(operator => operator.id === id);
  const size = sizes.find(operator => operator.id === id);
  const each =
    size?.bytesPerElement?.estimate ??
    (row?.bytesOut === undefined || !(row.elementsOut > 0) ? 0 : row.bytesOut / row.elementsOut);
  const arrays = row?.arraysOut === undefined || !(row.elementsOut > 0) ? 0 : row.arraysOut / row.elementsOut;
  return { visits, bytes: visits * each, arrays: visits * arrays };
}

/** What handing on takes is never taken to be less or more than this part of what is reckoned. */
const LEAST_FACTOR = 0.2;
const MOST_FACTOR = 4;

/** The most that handing them on is taken to cost, both sides together. */
export const mostHanding = (handed: Handed): number => handing(handed, MOST_FACTOR);

/**
 * What handing elements on really took in a recording, typed arrays left out, in parts of what is reckoned for its channels. What arrays take
 * is reckoned too: the less is left beside them, the less is learnt from it.
 */
export function crossingFactor(analysis: Analysis): number {
  const recorded = analysis.rates.stages.reduce((sum, { overheadDemand }) => sum + overheadDemand, 0);
  const reckoned = reckonedCrossing(analysis, crossing);
  if (!(reckoned > 0) || !(recorded > 0)) return 1;
  const rest = Math.max(0, recorded - reckonedCrossing(analysis, crossingArrays));
  const factor = Math.min(MOST_FACTOR, Math.max(LEAST_FACTOR, rest / reckoned));
  return 1 + (factor - 1) * (rest / recorded);
}

/** What is reckoned for the stages of a recording: of every channel, the half of each side that is a stage. */
function reckonedCrossing(analysis: Analysis, costOf: (handed: Handed) => number): number {
  const { graph, rates } = analysis;
  const staged = new Set(rates.stages.flatMap(({ operators }) => operators));
  return graph.channels.reduce((sum, { from, to }) => {
    const sides = [from, to].filter(operator => staged.has(operator)).length;
    return sum + (sides * costOf(handedBy(analysis, from))) / 2;
  }, 0);
}
