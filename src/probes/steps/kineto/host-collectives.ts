import { entryOf } from '../../../math/groups.ts';
import { partitionPoint } from '../../../math/partition-point.ts';
import { type Gap, gapsOf } from './bursts.ts';
import { asksForCollective, collectiveName, copiesReduced, isHostCommunication } from './call.ts';
import type { Marks } from './marks.ts';
import { endOf, nameOf, type RawEvents } from './raw-events.ts';

/** A collective that a thread of its own performs, as gloo's do: who asked for it, and where the training thread waits for it. */
export interface HostCollective {
  readonly event: number;
  /** The operator that asked for it; undefined where none is in the trace. */
  readonly call: number | undefined;
  /** An interval in which the training thread did nothing until it was done. */
  readonly wait: Gap | undefined;
  /** Where it was done before anybody waited: the first event that needs what it brought. */
  readonly needed: number | undefined;
}

/**
 * Threads of gloo do what `c10d::allreduce_` asks for, one after the other. That the training thread waits in the end is told by no event: DistributedDataParallel does before it
 * copies a bucket's gradients, and a call that is not asynchronous does right away. So the training thread is taken to wait in the gap that lasts longest while the collective
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
  const callers = new Callers(raw, chosen(ofTrainer, asksForCollective));
  const copies = chosen(ofTrainer, copiesReduced);
  const [isCopy, startOf] = [new Set(copies), (event: number): number => raw.start[event] as number];
  const gaps = gapsOf(raw, marks);
  return events.map(event => {
    const wait = longestWait(gaps, raw, event, isCopy);
    const next = copies[partitionPoint(copies.length, at => startOf(copies[at] as number) < startOf(event))];
    return { event, call: callers.of(event), wait, needed: wait === undefined ? next : undefined };
  });
}

/** Operators that ask for collectives, each for one: the first of a kind for the first of that kind. */
class Callers {
  readonly #raw: RawEvents;
  readonly #waiting = new Map<string, number[]>();

  constructor(raw: RawEvents, calls: readonly number[]) {
    this.#raw = raw;
    for (const call of calls.toReversed()) {
      const kind = collectiveName(nameOf(raw, call));
      entryOf(this.#waiting, kind, () => []).push(call);
    }
  }

  of(event: number): number | undefined {
    const waiting = this.#waiting.get(collectiveName(nameOf(this.#raw, event)));
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
