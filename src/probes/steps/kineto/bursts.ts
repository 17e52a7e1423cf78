import { partitionPoint } from '../../../math/partition-point.ts';
import { CATEGORY } from './category.ts';
import type { Marks } from './marks.ts';
import { endOf, isOnHost, occupiesThread, type RawEvents } from './raw-events.ts';

/** Work of another thread, as autograd's, while the thread that trains waits for it. */
export interface Burst {
  readonly track: number;
  /** Outermost events of the thread, in order. */
  readonly events: readonly number[];
}

/** An interval of the training thread in which it waits for bursts of others. */
export interface ThreadWait {
  readonly step: number;
  readonly bursts: readonly Burst[];
}

/** A thread is one that is waited for if this share of its work falls between operators of the training thread. A judgement. */
const WAITED_FOR = 0.9;

/**
 * `backward()` runs in a thread of its own while the one that trains waits, and no event says so. Threads with operators whose work falls almost
 * all between operators of the training thread are taken to be called by it, and waited for.
 */
export function findThreadWaits(raw: RawEvents, of: Marks): readonly ThreadWait[] {
  const { track: main, events: marks } = of;
  if (marks.length === 0) return [];
  const gaps = gapsOf(raw, of);
  const waits = gaps.map(({ step }) => ({ step, bursts: [] as Burst[] }));
  for (const track of threadsWithOperators(raw, main)) {
    const outermost = outermostEvents(raw, track);
    const gapOf = outermost.map(event => gapAround(gaps, raw, event));
    const inSteps = outermost.map(event => isInMarks(raw, marks, event));
    const total = sum(raw, outermost, at => inSteps[at] === true);
    if (total === 0 || sum(raw, outermost, at => gapOf[at] !== undefined) < WAITED_FOR * total) continue;
    for (const [at, event] of outermost.entries()) {
      const gap = gapOf[at];
      if (gap === undefined) continue;
      const bursts = waits[gap]?.bursts;
      const last = bursts?.at(-1);
      if (last?.track === track) (last.events as number[]).push(event);
      else bursts?.push({ track, events: [event] });
    }
  }
  return waits.filter(({ bursts }) => bursts.length > 0);
}

export interface Gap {
  readonly step: number;
  readonly start: number;
  readonly end: number;
  /** The event that ends it; undefined where the step does. */
  readonly next: number | undefined;
}

/** Intervals of steps in which the training thread is in no operator and no call. */
export function gapsOf(raw: RawEvents, { track: main, events: marks }: Marks): readonly Gap[] {
  const gaps: Gap[] = [];
  const busy = outermostEvents(raw, main, new Set(marks));
  let at = 0;
  for (const [step, mark] of marks.entries()) {
    let from = raw.start[mark] as number;
    const stepEnd = endOf(raw, mark);
    while (at < busy.length && endOf(raw, busy[at] as number) <= from) at++;
    for (; at < busy.length && (raw.start[busy[at] as number] as number) < stepEnd; at++) {
      const event = busy[at] as number;
      const start = raw.start[event] as number;
      if (start > from) gaps.push({ step, start: from, end: start, next: event });
      from = Math.max(from, endOf(raw, event));
    }
    if (stepEnd > from) gaps.push({ step, start: from, end: stepEnd, next: undefined });
  }
  return gaps;
}

/** Events of a thread that no other of it encloses; annotations and `without` do not count. */
function outermostEvents(raw: RawEvents, track: number, without: ReadonlySet<number> = new Set()): readonly number[] {
  const found: number[] = [];
  let until = Number.NEGATIVE_INFINITY;
  for (const event of raw.order) {
    if (raw.track[event] !== track || !isOnHost(raw, event) || without.has(event)) continue;
    if (!occupiesThread(raw, event)) continue;
    if ((raw.start[event] as number) < until) continue;
    found.push(event);
    until = endOf(raw, event);
  }
  return found;
}

function threadsWithOperators(raw: RawEvents, main: number): ReadonlySet<number> {
  const tracks = new Set<number>();
  for (let event = 0; event < raw.count; event++) {
    if (raw.category[event] === CATEGORY.operator && raw.track[event] !== main) tracks.add(raw.track[event] as number);
  }
  return tracks;
}

/** The gap that holds a whole event. */
function gapAround(gaps: readonly Gap[], raw: RawEvents, event: number): number | undefined {
  const start = raw.start[event] as number;
  const last = partitionPoint(gaps.length, at => (gaps[at] as Gap).start <= start) - 1;
  const gap = gaps[last];
  return gap !== undefined && endOf(raw, event) <= gap.end ? last : undefined;
}

const isInMarks = (raw: RawEvents, marks: readonly number[], event: number): boolean =>
  marks.some(
    mark => (raw.start[mark] as number) <= (raw.start[event] as number) && endOf(raw, event) <= endOf(raw, mark),
  );

const sum = (raw: RawEvents, events: readonly number[], counts: (at: number) => boolean): number =>
  events.reduce((total, event, at) => total + (counts(at) ? (raw.duration[event] as number) : 0), 0);
