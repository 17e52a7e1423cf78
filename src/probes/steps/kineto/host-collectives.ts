import { entryOf } from '../../../math/groups.ts';
import { partitionPoint } from '../../../math/partition-point.ts';
import { type Gap, gapsOf } from './bursts.ts';
import { asksForCollective, collectiveName, copiesReduced, isHostCommunication, waitsForCollective } from './call.ts';
import type { Marks } from './marks.ts';
import { endOf, nameOf, type RawEvents } from './raw-events.ts';

/** A collective that a thread of its own performs, as gloo's do: who asked for it, and where the training thread waits for it. */
export interface HostCollective {
  readonly event: number;
  /** The operator that asked for it; undefined where none is in the trace. */
  readonly call: number | undefined;
  /** The operator of the training thread in which it waits until it is done; undefined where it is in none. */
  readonly waiting: number | undefined;
  /** An interval in which the training thread did nothing until it was done. */
  readonly wait: Gap | undefined;
  /** Where it was done before anybody waited: the first event that needs what it brought. */
  readonly needed: number | undefined;
}

/**
 * Threads of gloo do what `c10d::allreduce_` asks for, one after the other. That the training thread waits in the end is told by no event: DistributedDataParallel does before it
 * copies a bucket's gradients, and a call that is not asynchronous does right away; functional collectives have an operator for it. So the training thread is taken to wait in the gap that lasts longest while the collective
 * runs, of those that end with such a copy or in which the collective ends.
 */
export function findHostCollectives(raw: RawEvents, marks: Marks): readonly HostCollective[] {
  const chosen = (events: Iterable<number>, is: (name: string) => boolean): number[] => {
    const isChosen = raw.names.map(is);
    return Array.from(events).filter(event => isChosen[raw.name[event] as number] === true);
  };
  const events = chosen(raw.order, isHostCommunication);
  if (events.length === 0) return [];
  const ofTrainer = raw.order.filter(event => raw.track[event] === marks.track);
  const callers = new Callers(raw, chosen(ofTrainer, asksForCollective), events);
  const copies = chosen(ofTrainer, copiesReduced);
  const waits = innermost(raw, chosen(ofTrainer, waitsForCollective));
  const [isCopy, startOf] = [new Set(copies), (event: number): number => raw.start[event] as number];
  const gaps = gapsOf(raw, marks);
  return events.map(event => {
    const call = callers.of(event);
    const waiting = lastDuring(waits, raw, event);
    if (waiting !== undefined) return { event, call, waiting, wait: undefined, needed: undefined };
    const wait = longestWait(gaps, raw, event, isCopy);
    const next = copies[partitionPoint(copies.length, at => startOf(copies[at] as number) < startOf(event))];
    return { event, call, waiting, wait, needed: wait === undefined ? next : undefined };
  });
}

/** Of events in order of their starts, those that hold none of the others. */
const innermost = (raw: RawEvents, events: readonly number[]): number[] =>
  events.filter((event, at) => {
    const next = events[at + 1];
    return next === undefined || (raw.start[next] as number) >= endOf(raw, event);
  });

/** The last, of some that do not overlap and are in order, that runs while another does: a collective ends in the operator that waits for it, or is noted to end soon after. */
function lastDuring(events: readonly number[], raw: RawEvents, event: number): number | undefined {
  const end = endOf(raw, event);
  const last = events[partitionPoint(events.length, at => (raw.start[events[at] as number] as number) < end) - 1];
  return last !== undefined && endOf(raw, last) > (raw.start[event] as number) ? last : undefined;
}

/** What asks for collectives of a kind that are none here: gloo does them as others, a reduce-scatter as an all-reduce. */
const OTHERS = '';

/** Operators that ask for collectives, each for one: the first of a kind for the first of that kind. */
class Callers {
  readonly #raw: RawEvents;
  readonly #waiting = new Map<string, number[]>();

  constructor(raw: RawEvents, calls: readonly number[], events: readonly number[]) {
    this.#raw = raw;
    const kinds = new Set(events.map(event => collectiveName(nameOf(raw, event))));
    for (const call of calls.toReversed()) {
      const own = collectiveName(nameOf(raw, call));
      entryOf(this.#waiting, kinds.has(own) ? own : OTHERS, () => []).push(call);
    }
  }

  of(event: number): number | undefined {
    return this.#next(collectiveName(nameOf(this.#raw, event)), event) ?? this.#next(OTHERS, event);
  }

  #next(kind: string, event: number): number | undefined {
    const waiting = this.#waiting.get(kind);
    const { start } = this.#raw;
    const call = waiting?.at(-1);
    return call !== undefined && (start[call] as number) <= (start[event] as number) ? waiting?.pop() : undefined;
  }
}

function longestWait(
  gaps: readonly Gap[],
  raw: RawEvents,
  event: number,
  isCopy: ReadonlySet<number>,
): Gap | undefined {
  const [start, end] = [raw.start[event] as number, endOf(raw, event)];
  let [longest, found]: [number, Gap | undefined] = [0, undefined];
  const first = partitionPoint(gaps.length, at => (gaps[at] as Gap).end < start);
  for (let at = first; at < gaps.length; at++) {
    const gap = gaps[at] as Gap;
    if (gap.start >= end) break;
    const together = Math.min(end, gap.end) - Math.max(start, gap.start);
    const isAwaited = gap.next !== undefined && isCopy.has(gap.next);
    if (together > longest && (isAwaited || end <= gap.end)) [longest, found] = [together, gap];
  }
  return found;
}
