import { type Batch, consumeTime, passesOf } from '../../analysis/batches/batch.ts';
import type { BatchFacts, PassSpan } from '../../analysis/batches/fold.ts';
import { median } from '../../math/statistics.ts';
import { sumOf } from '../../math/totals.ts';
import { NS_PER_SECOND } from '../../model/units.ts';
import { blocksOf, ENOUGH_BATCHES } from './blocks.ts';
import { type LoaderSetting, settling, warmUp } from './setting.ts';

/** One pass over a loader, as far as it was recorded. */
export interface RecordedPass {
  /** In the order in which the consumer asked for them. */
  readonly batches: readonly Batch[];
  /** Moment before its workers are started, ns; where not recorded, that of the first order. */
  readonly begin: number;
  /** Moment of the first order. */
  readonly ordered: number;
  /** Moment when its workers have ended, or its consumer left it; NaN where the recording ended before. */
  readonly end: number;
}

/**
 * `batches` in the order in which they were asked for. A pass without an end was cut where the recording was, which can only
 * be the last of its consumer; any other ended where its consumer left it.
 */
export function recordedPasses(batches: readonly Batch[], facts: BatchFacts, isCut: boolean): RecordedPass[] {
  const all = passesOf(batches);
  const last = new Map(all.map(pass => [pass[0]?.consumer, pass]));
  return all.map(pass => {
    const { consumer = 0, pass: number = 0, dispatched = 0, waitStart = 0 } = pass[0] ?? {};
    const isIt = (span: PassSpan): boolean => span.consumer === consumer && span.pass === number;
    const beginning = facts.beginnings.find(isIt);
    const first = Number.isNaN(dispatched) ? waitStart : Math.min(dispatched, waitStart);
    const isLeft = !(isCut && last.get(consumer) === pass);
    return {
      batches: pass,
      begin: beginning?.start ?? first,
      ordered: beginning?.end ?? first,
      end: facts.passes.find(isIt)?.end ?? (isLeft ? leftAt(pass) : Number.NaN),
    };
  });
}

/** The end of the last step; estimated where no further batch was asked for, because it is not recorded then. */
function leftAt(pass: readonly Batch[]): number {
  const last = pass.at(-1);
  if (last === undefined || last.consumeEnd >= 0) return last?.consumeEnd ?? Number.NaN;
  const steps = pass.map(consumeTime).filter(time => time >= 0);
  return last.waitEnd + (steps.length === 0 ? 0 : median(steps));
}

const isWhole = ({ end }: RecordedPass): boolean => !Number.isNaN(end);

/** Batches of a whole pass, `expected` where none was recorded; infinite where unknown. */
export function passLength(passes: readonly RecordedPass[], expected: number | undefined): number {
  const longest = (of: readonly RecordedPass[]): number => Math.max(...of.map(({ batches }) => batches.length));
  const whole = passes.filter(isWhole);
  if (whole.length > 0) return longest(whole);
  return expected === undefined ? Number.POSITIVE_INFINITY : Math.max(longest(passes), expected);
}

/** Duration of passes, ns: per element in each pass, and once in the program. */
export interface PassPace {
  /** Of a whole pass, the start and the end of its workers included unless they persist. */
  readonly perElement: number;
  /** Start of persistent workers. */
  readonly once: number;
}

/** Elements per second of one loader over so many passes of so many elements; either may be infinite. */
export const rateOver = ({ perElement, once }: PassPace, passes: number, elements: number): number =>
  NS_PER_SECOND / (perElement + once / (passes * elements));

/** Setting of a recorded loader, and what its passes show. */
export interface PassSetting extends LoaderSetting {
  /** Batches of a whole pass. */
  readonly length: number;
  readonly workerCost: WorkerCost;
}

/**
 * Duration of whole passes, from before their workers are started until they have ended: in a short pass most batches are
 * prepared during the wait for the first, and the time after it says nothing. A pass that was cut short is
 * extrapolated to the length of a whole one. Persistent workers are started once, whatever part of the recording that was.
 */
export function measuredPace(passes: readonly RecordedPass[], setting: PassSetting): PassPace {
  const whole = passes.filter(isWhole);
  const counted = (whole.length > 0 ? whole : passes).map(pass => paceIn(pass, pass === passes[0], setting));
  const { elements, time } = addedUp(counted);
  return {
    perElement: elements > 0 ? time / elements : Number.NaN,
    once: setting.persistent ? startOf(setting.workerCost, setting.workers) : 0,
  };
}

/** Elements and duration of one pass; without the start of persistent workers, which only the first pass has. */
function paceIn(pass: RecordedPass, isFirst: boolean, setting: PassSetting): Counted {
  const { persistent, workerCost, workers } = setting;
  const { elements, time } = isWhole(pass)
    ? { elements: elementsOf(pass.batches), time: pass.end - pass.begin }
    : extrapolated(pass, setting);
  const isStarted = Number.isFinite(setting.length) || isWhole(pass);
  const start = persistent && isFirst && isStarted ? startOf(workerCost, workers) : 0;
  return { elements, time: Math.max(0, time - start) };
}

/** Time to start so many persistent workers, as recorded, ns. */
const startOf = (cost: WorkerCost, workers: number): number => timeFor(cost, workers, true) + cost.start || 0;

interface Counted {
  readonly elements: number;
  readonly time: number;
}

const addedUp = (parts: readonly Counted[]): Counted => ({
  elements: sumOf(parts, ({ elements }) => elements),
  time: sumOf(parts, ({ time }) => time),
});

const elementsOf = (batches: readonly Batch[]): number => sumOf(batches, batch => batch.elements);

function extrapolated({ batches, begin }: RecordedPass, { workers, length }: PassSetting): Counted {
  // Warm-up is left out: it would be extrapolated, too.
  const steady = settled(batches, Math.max(settling(workers, batches.length), warmUp(batches.length)));
  const [first] = batches;
  if (!Number.isFinite(length) || first === undefined || steady.time === 0) return steady;
  const elements = length * Math.max(...batches.map(batch => batch.elements));
  return { elements, time: first.waitEnd - begin + (elements * steady.time) / steady.elements };
}

/** From the arrival of the first `past` batches to the end of the last step. */
function settled(batches: readonly Batch[], past: number): Counted {
  const pass = batches.slice(past);
  const [first, last] = [pass[0], pass.at(-1)];
  if (first === undefined || last === undefined || pass.length < 2) return { elements: 0, time: 0 };
  // A recording that was cut has no end of the last step.
  const hasEnd = last.consumeEnd >= 0;
  return {
    elements: elementsOf(hasEnd ? pass : pass.slice(0, -1)),
    time: (hasEnd ? last.consumeEnd : last.waitStart) - first.waitEnd,
  };
}

/** Throughput of each whole pass where there are several, else of blocks of the only one; their mean is `measured`. */
export function ratesOfParts(passes: readonly RecordedPass[], measured: number, setting: PassSetting): number[] {
  const whole = passes.filter(isWhole);
  if (whole.length > 1) {
    const paces = whole.map(pass => paceIn(pass, pass === passes[0], setting));
    const all = addedUp(paces);
    const mean = all.elements / all.time;
    return paces.map(({ elements, time }) => (measured * elements) / time / mean).filter(Number.isFinite);
  }
  const batches = passes.flatMap(pass => pass.batches);
  if (batches.length < ENOUGH_BATCHES) return [];
  const all = settled(batches, 0);
  return blocksOf(batches)
    .map(block => settled(block, 0))
    .map(({ elements, time }) => ((elements / time) * measured) / (all.elements / all.time))
    .filter(Number.isFinite);
}

/** Time that starting and ending workers adds to a pass, ns; NaN where there were none. */
export interface WorkerCost {
  /** Of the consumer's process per worker: to start it, and to wait for its end. */
  readonly each: number;
  /** Of the consumer's process, however many there are. */
  readonly fixed?: number | undefined;
  /** Part of both that is the wait for their end, 0 to 1. Persistent workers end after the last pass, when no batch is waited for. */
  readonly ending?: number | undefined;
  /** From the first order to the start of its preparation by a worker that has just been started. */
  readonly start: number;
}

/** Time of the consumer's process for so many workers, ns: to start them, and to end them unless they persist. */
export const timeFor = ({ each, fixed = 0, ending = 0 }: WorkerCost, workers: number, isKept: boolean): number =>
  (fixed + workers * each) * (isKept ? 1 - ending : 1);

/**
 * The cost of persistent workers is that of the first pass; their end is not recorded. `measured` beside the recording:
 * the part that does not depend on their number, and the time of their end.
 */
export function workerCostOf(
  passes: readonly RecordedPass[],
  { workers, persistent }: LoaderSetting,
  measured: Pick<WorkerCost, 'fixed' | 'ending'> = {},
): WorkerCost {
  const started = workers === 0 ? [] : persistent ? passes.slice(0, 1) : passes;
  const middle = (values: readonly number[]): number => median(values.filter(value => value >= 0));
  const ending = ({ batches, end }: RecordedPass): number => {
    const over = end - (batches.at(-1)?.consumeEnd ?? Number.NaN);
    return Math.max(0, over) || 0;
  };
  const began = middle(started.map(pass => pass.ordered - pass.begin));
  const ended = persistent
    ? (began * (measured.ending ?? 0)) / (1 - (measured.ending ?? 0))
    : middle(started.map(ending));
  const whole = began + ended;
  // Each worker has a cost of its own.
  const beside = Math.min(measured.fixed ?? 0, whole / 2) || 0;
  return {
    each: (whole - beside) / workers,
    ...(beside > 0 ? { fixed: beside } : {}),
    ...(ended > 0 ? { ending: ended / whole } : {}),
    start: middle(started.map(({ batches: [first] }) => (first?.prepareStart ?? -1) - (first?.dispatched ?? 0))),
  };
}
