import { entryOf } from '../../../math/groups.ts';
import { partitionPoint } from '../../../math/partition-point.ts';
import { CATEGORY, isOnDevice } from './category.ts';
import type { RawEvents } from './raw-events.ts';

/** Work of a stream in the order in which it was launched. */
export interface StreamQueue {
  readonly track: number;
  readonly events: readonly number[];
  /** When each was launched, ns; its own start where no call is known. */
  readonly launchedAt: readonly number[];
}

export interface Launches {
  /** By event on a device: the call that launched it; -1 where none is known. */
  readonly callOf: Int32Array;
  /** Number of events that each call launched. */
  readonly launched: Uint32Array;
  readonly queues: readonly StreamQueue[];
  /** Calls by their correlation number. */
  readonly callByCorrelation: ReadonlyMap<number, number>;
  readonly onDevice: number;
  readonly withoutCall: number;
}

/** Joins work of devices with the calls that launched it, by `args.correlation`, which every trace has. */
export function findLaunches(raw: RawEvents): Launches {
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
  const launchOf = (event: number): number => {
    const call = callOf[event] as number;
    return raw.start[call < 0 ? event : call] as number;
  };
  const queues = [...byTrack].map(([track, found]) => {
    const events = found.sort(
      (a, b) => launchOf(a) - launchOf(b) || (raw.start[a] as number) - (raw.start[b] as number),
    );
    return { track, events, launchedAt: events.map(launchOf) };
  });
  return { callOf, launched, queues, callByCorrelation, onDevice, withoutCall };
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
