import { entryOf } from '../../../math/groups.ts';
import { partitionPoint } from '../../../math/partition-point.ts';
import { sumOf } from '../../../math/totals.ts';
import { CATEGORY, isOnDevice } from './category.ts';
import type { RawEvents } from './raw-events.ts';

/** Work of a stream in the order in which it was launched. */
export interface StreamQueue {
  readonly track: number;
  readonly events: readonly number[];
  /** When each was launched, ns: before everything where it was queued when the trace began, else its own start where no call is known. */
  readonly launchedAt: readonly number[];
}

export interface Launches {
  /** By event on a device: the call that launched it; -1 where none is known. */
  readonly callOf: Int32Array;
  /** Number of events that each call launched. */
  readonly launched: Uint32Array;
  /** By event: 1 for work that was already queued when the trace began. */
  readonly queuedBefore: Uint8Array;
  readonly queues: readonly StreamQueue[];
  /** Calls by their correlation number. */
  readonly callByCorrelation: ReadonlyMap<number, number>;
  readonly onDevice: number;
  /** Of these, work that no known call launched, without that which was queued before. */
  readonly withoutCall: number;
}

/**
 * Joins work of devices with the calls that launched it, by `args.correlation`, which every trace has. Calls before `firstStepEnd` are those of the first step and what the
 * trace has before it; -Infinity where nothing marks steps.
 */
export function findLaunches(raw: RawEvents, firstStepEnd: number): Launches {
  const callByCorrelation = new Map<number, number>();
  for (let event = 0; event < raw.count; event++) {
    if (raw.category[event] !== CATEGORY.runtime) continue;
    const correlation = raw.correlation[event] as number;
    if (!Number.isNaN(correlation)) callByCorrelation.set(correlation, event);
  }
  const callOf = new Int32Array(raw.count).fill(-1);
  const launched = new Uint32Array(raw.count);
  const byTrack = new Map<number, number[]>();
  let [onDevice, withoutCall] = [0, 0];
  for (const event of raw.order) {
    if (!isOnDevice(raw.category[event] as number)) continue;
    onDevice++;
    const call = callByCorrelation.get(raw.correlation[event] as number);
    if (call === undefined) withoutCall++;
    else {
      callOf[event] = call;
      launched[call] = (launched[call] as number) + 1;
    }
    entryOf(byTrack, raw.track[event] as number, () => []).push(event);
  }
  const queuedBefore = findQueuedBefore(raw, { callOf, streams: [...byTrack.values()], firstStepEnd });
  withoutCall -= sumOf(queuedBefore, one => one);
  const launchOf = (event: number): number => {
    if (queuedBefore[event] === 1) return Number.NEGATIVE_INFINITY;
    const call = callOf[event] as number;
    return raw.start[call < 0 ? event : call] as number;
  };
  const queues = [...byTrack].map(([track, found]) => {
    const events = found.sort(
      (a, b) => launchOf(a) - launchOf(b) || (raw.start[a] as number) - (raw.start[b] as number),
    );
    return { track, events, launchedAt: events.map(launchOf) };
  });
  return { callOf, launched, queuedBefore, queues, callByCorrelation, onDevice, withoutCall };
}

interface Streams {
  readonly callOf: Int32Array;
  /** Work of each stream, in order of its start. */
  readonly streams: readonly (readonly number[])[];
  readonly firstStepEnd: number;
}

/**
 * A stream runs what it is given in order. So work that no known call launched and that runs before the first with a known call was launched before that call; where the call is
 * the first step's, before the trace began.
 */
function findQueuedBefore(raw: RawEvents, { callOf, streams, firstStepEnd }: Streams): Uint8Array {
  const before = new Uint8Array(raw.count);
  for (const events of streams) {
    const known = events.findIndex(event => (callOf[event] as number) >= 0);
    if (known < 0) continue;
    const call = callOf[events[known] as number] as number;
    if ((raw.start[call] as number) >= firstStepEnd) continue;
    for (const event of events.slice(0, known)) before[event] = 1;
  }
  return before;
}

/** The last work that was launched into a stream before a moment; undefined where none was. */
export function lastBefore({ events, launchedAt }: StreamQueue, moment: number): number | undefined {
  return events[countBefore(launchedAt, moment) - 1];
}

/** The first work that was launched into a stream at or after a moment. */
export function firstFrom({ events, launchedAt }: StreamQueue, moment: number): number | undefined {
  return events[countBefore(launchedAt, moment)];
}

/** How many of some moments in order lie before another. */
const countBefore = (moments: readonly number[], moment: number): number =>
  partitionPoint(moments.length, at => (moments[at] as number) < moment);
