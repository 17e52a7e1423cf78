import { type Batch, consumeTime, passesOf } from '../../analysis/batches/batch.ts';
import type { BatchFacts, PassSpan } from '../../analysis/batches/fold.ts';
import { median } from '../../math/statistics.ts';
import { type LoaderSetting, settling, warmUp } from './setting.ts';

/** One pass over a loader, as far as it was recorded. */
export interface RecordedPass {
  /** In the order in which the consumer asked for them. */
  readonly batches: readonly Batch[];
  /** Before its workers are started; where nobody said, the first order. */
  readonly begin: number;
  /** The first order. */
  readonly ordered: number;
  /** When its workers have ended, or its consumer left it; NaN where the recording ended before. */
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

/** The end of the last step, of which nothing is recorded where nobody asked for another batch. */
function leftAt(pass: readonly Batch[]): number {
  const last = pass.at(-1);
  if (last === undefined || last.consumeEnd >= 0) return last?.consumeEnd ?? Number.NaN;
  const steps = pass.map(consumeTime).filter(time => time >= 0);
  return last.waitEnd + (steps.length === 0 ? 0 : median(steps));
}

const isWhole = ({ end }: RecordedPass): boolean => !Number.isNaN(end);

/** Batches of a whole pass, `expected` where none was recorded; without end where nobody knows. */
export function passLength(passes: readonly RecordedPass[], expected: number | undefined): number {
  const longest = (of: readonly RecordedPass[]): number => Math.max(...of.map(({ batches }) => batches.length));
  const whole = passes.filter(isWhole);
  if (whole.length > 0) return longest(whole);
  return expected === undefined ? Number.POSITIVE_INFINITY : Math.max(longest(passes), expected);
}

/** What passes take: each of them by its elements, and what is paid but once, ns. */
export interface PassPace {
  /** Of a whole pass, the start and the end of its workers included unless they stay. */
  readonly perElement: number;
  /** The start of workers that stay. */
  readonly once: number;
}

/** Elements per second of one loader over so many passes of so many elements; either may be without end. */
export const rateOver = ({ perElement, once }: PassPace, passes: number, elements: number): number =>
  1e9 / (perElement + once / (passes * elements));

/** How a recording was made, as far as its passes show it. */
export interface PassSetting extends LoaderSetting {
  /** Batches of a whole pass. */
  readonly length: number;
  readonly workerCost: WorkerCost;
}

/**
 * What whole passes took, from before their workers are started until they have ended: in a short pass most batches are
 * prepared while the first is waited for, and what comes after it says nothing. A pass that was cut short is
 * carried on at its pace to the length of a whole one. Workers that stay are started once, whatever part of the recording that was.
 */
export function measuredPace(passes: readonly RecordedPass[], setting: PassSetting): PassPace {
  const whole = passes.filter(isWhole);
  const counted = (whole.length > 0 ? whole : passes).map(pass => paceIn(pass, pass === passes[0], setting));
  const sum = (of: (pass: Counted) => number): number => counted.reduce((all, pass) => all + of(pass), 0);
  const elements = sum(pass => pass.elements);
  return {
    perElement: elements > 0 ? sum(pass => pass.time) / elements : Number.NaN,
    once: setting.persistent ? startOf(setting.workerCost, setting.workers) : 0,
  };
}

/** One pass; of workers that stay, without their start, which only the first has. */
function paceIn(pass: RecordedPass, isFirst: boolean, setting: PassSetting): Counted {
  const { persistent, workerCost, workers } = setting;
  const { elements, time } = isWhole(pass)
    ? { elements: elementsOf(pass.batches), time: pass.end - pass.begin }
    : carriedOn(pass, setting);
  const isStarted = Number.isFinite(setting.length) || isWhole(pass);
  const start = persistent && isFirst && isStarted ? startOf(workerCost, workers) : 0;
  return { elements, time: Math.max(0, time - start) };
}

/** What it takes to start so many workers that stay, as recorded. */
const startOf = (cost: WorkerCost, workers: number): number => askedFor(cost, workers, true) + cost.start || 0;

interface Counted {
  readonly elements: number;
  readonly time: number;
}

const elementsOf = (batches: readonly Batch[]): number => batches.reduce((sum, batch) => sum + batch.elements, 0);

function carriedOn({ batches, begin }: RecordedPass, { workers, length }: PassSetting): Counted {
  // What is slow but once would be carried on too.
  const steady = settled(batches, Math.max(settling(workers, batches.length), warmUp(batches.length)));
  const [first] = batches;
  if (!Number.isFinite(length) || first === undefined || steady.time === 0) return steady;
  const elements = length * Math.max(...batches.map(batch => batch.elements));
  return { elements, time: first.waitEnd - begin + (elements * steady.time) / steady.elements };
}

/** From when the first `past` batches are there to the end of the last one's step. */
function settled(batches: readonly Batch[], past: number): Counted {
  const pass = batches.slice(past);
  const [first, last] = [pass[0], pass.at(-1)];
  if (first === undefined || last === undefined || pass.length < 2) return { elements: 0, time: 0 };
  // A recording that ends in the middle knows no end of the last step.
  const hasEnd = last.consumeEnd >= 0;
  return {
    elements: elementsOf(hasEnd ? pass : pass.slice(0, -1)),
    time: (hasEnd ? last.consumeEnd : last.waitStart) - first.waitEnd,
  };
}

const PARTS = 5;
const BATCHES_PER_PART = 10;

/** The rate `measured` as parts of the recording have it: whole passes where there are several, else stretches of the only one. */
export function ratesOfParts(passes: readonly RecordedPass[], measured: number, setting: PassSetting): number[] {
  const whole = passes.filter(isWhole);
  if (whole.length > 1) {
    const paces = whole.map(pass => paceIn(pass, pass === passes[0], setting));
    const sum = (of: (pass: Counted) => number): number => paces.reduce((all, pass) => all + of(pass), 0);
    const mean = sum(({ elements }) => elements) / sum(({ time }) => time);
    return paces.map(({ elements, time }) => (measured * elements) / time / mean).filter(Number.isFinite);
  }
  const batches = passes.flatMap(pass => pass.batches);
  const length = Math.ceil(batches.length / PARTS);
  if (length < BATCHES_PER_PART) return [];
  const rateOf = ({ elements, time }: Counted): number => (elements / time) * measured;
  const all = settled(batches, 0);
  return Array.from({ length: PARTS }, (_, part) => settled(batches.slice(part * length, (part + 1) * length), 0))
    .map(part => rateOf(part) / (all.elements / all.time))
    .filter(Number.isFinite);
}

/** What workers take of a pass, in ns. NaN where there were none. */
export interface WorkerCost {
  /** Of the consumer's process, for each: it is started, and its end is waited for. */
  readonly each: number;
  /** Beside that, however many there are. */
  readonly fixed?: number | undefined;
  /** Part of both that waiting for their end is, 0 to 1: workers that stay end after the last pass, when nobody waits for a batch. */
  readonly ending?: number | undefined;
  /** From the first order to the beginning of its preparation by a worker that has just been started. */
  readonly start: number;
}

/** What so many workers take their consumer's process: to start them, and to end them unless they stay. */
export const askedFor = ({ each, fixed = 0, ending = 0 }: WorkerCost, workers: number, isKept: boolean): number =>
  (fixed + workers * each) * (isKept ? 1 - ending : 1);

/**
 * Of the first pass alone where workers stay; nobody saw those end. What was measured beside the recording says how much of it is paid
 * however many there are, and then what their end would take.
 */
export function workerCostOf(
  passes: readonly RecordedPass[],
  { workers, persistent }: LoaderSetting,
  measured: Pick<WorkerCost, 'fixed' | 'ending'> = {},
): WorkerCost {
  const started = workers === 0 ? [] : persistent ? passes.slice(0, 1) : passes;
  const middle = (values: readonly number[]): number => {
    const known = values.filter(value => value >= 0);
    return known.length === 0 ? Number.NaN : median(known);
  };
  const ending = ({ batches, end }: RecordedPass): number => {
    const over = end - (batches.at(-1)?.consumeEnd ?? Number.NaN);
    return Math.max(0, over) || 0;
  };
  const began = middle(started.map(pass => pass.ordered - pass.begin));
  const ended = persistent
    ? (began * (measured.ending ?? 0)) / (1 - (measured.ending ?? 0))
    : middle(started.map(ending));
  const whole = began + ended;
  // Each of them takes something.
  const beside = Math.min(measured.fixed ?? 0, whole / 2) || 0;
  return {
    each: (whole - beside) / workers,
    ...(beside > 0 ? { fixed: beside } : {}),
    ...(ended > 0 ? { ending: ended / whole } : {}),
    start: middle(started.map(({ batches: [first] }) => (first?.prepareStart ?? -1) - (first?.dispatched ?? 0))),
  };
}
