import { partitionPoint } from '../../../math/partition-point.ts';
import { isStreamWait, type WaitedFor, waitOf } from './call.ts';
import { CATEGORY } from './category.ts';
import { firstFrom, type Launches, lastBefore, type StreamQueue } from './launches.ts';
import { endOf, nameOf, type RawEvents } from './raw-events.ts';

/** An event that waits for work of a device: a call of the host until it returns, or work of another stream before it starts. */
export interface Wait {
  readonly from: number;
  readonly to: number;
  readonly guessed: boolean;
}

export interface Waits {
  readonly waits: readonly Wait[];
  /** Calls that make something wait, and those of which nobody says for what. */
  readonly calls: number;
  readonly untold: number;
  /** Launches, and those that waited for room in the queue. */
  readonly launches: number;
  readonly queued: number;
}

/** Launches that a queue of CUDA holds: at 1,024 the next one waits. A few more or less are told by different clocks. */
const FULL_QUEUE = 1000;

/**
 * What calls of the runtime wait for. Traces recorded with `cuda_sync` events say it. Without them a call that waits for a stream or an event is taken to
 * wait for the work that ended last while it lasted, and a stream that is made to wait for an event to wait for what was launched
 * last into the others.
 */
export function findWaits(raw: RawEvents, launches: Launches): Waits {
  return new WaitFinder(raw, launches).find();
}

class WaitFinder {
  readonly #raw: RawEvents;
  readonly #launches: Launches;
  readonly #queueOfTrack = new Map<number, StreamQueue>();
  readonly #queueOfStream = new Map<number, StreamQueue>();
  /** `cuda_sync` events by their call's correlation number. */
  readonly #syncs = new Map<number, number>();
  /** By thread: work it launched, in order of the calls. */
  readonly #launchedBy = new Map<number, StreamQueue>();
  readonly #waits: Wait[] = [];
  readonly #known = new Set<number>();
  #untold = 0;

  constructor(raw: RawEvents, launches: Launches) {
    this.#raw = raw;
    this.#launches = launches;
    for (const queue of launches.queues) {
      this.#queueOfTrack.set(queue.track, queue);
      this.#queueOfStream.set(Number(raw.tracks[queue.track]?.thread), queue);
    }
    for (let event = 0; event < raw.count; event++) {
      if (raw.category[event] === CATEGORY.sync) this.#syncs.set(raw.correlation[event] as number, event);
    }
  }

  find(): Waits {
    const raw = this.#raw;
    const kinds = raw.names.map(name => waitOf(name) ?? (isStreamWait(name) ? 'between-streams' : undefined));
    let calls = 0;
    for (const event of raw.order) {
      if (raw.category[event] !== CATEGORY.runtime) continue;
      const kind = kinds[raw.name[event] as number];
      if (kind === undefined) continue;
      calls++;
      if (kind === 'between-streams') this.#streamWait(event);
      else this.#hostWait(event, kind);
    }
    const launches = this.#launchWaits();
    return { waits: this.#waits, calls, untold: this.#untold, ...launches };
  }

  /** Launches into a queue that was full waited until a place was free: for the work that ended last while they lasted. */
  #launchWaits(): Pick<Waits, 'launches' | 'queued'> {
    const raw = this.#raw;
    const all = this.#launches.queues.flatMap(({ events }) => events);
    const ends = Float64Array.from(all, event => endOf(raw, event)).sort();
    const calls = [...new Set(all.map(event => this.#launches.callOf[event] as number).filter(call => call >= 0))];
    let [launched, finished, queued] = [0, 0, 0];
    for (const call of calls.sort((a, b) => (raw.start[a] as number) - (raw.start[b] as number))) {
      while (finished < ends.length && (ends[finished] as number) <= (raw.start[call] as number)) finished++;
      if (launched - finished >= FULL_QUEUE) {
        const awaited = this.#endedDuring(call);
        if (awaited !== undefined) queued++;
        this.#add(awaited, call, true);
      }
      launched += this.#launches.launched[call] as number;
    }
    return { launches: calls.length, queued };
  }

  #add(from: number | undefined, to: number | undefined, guessed = false): void {
    if (from === undefined || to === undefined || from === to) return;
    const key = from * this.#raw.count + to;
    if (this.#known.has(key)) return;
    this.#known.add(key);
    this.#waits.push({ from, to, guessed });
  }

  #hostWait(call: number, kind: WaitedFor): void {
    const start = this.#raw.start[call] as number;
    if (kind === 'device') {
      for (const queue of this.#launches.queues) this.#add(lastBefore(queue, start), call);
      return;
    }
    const sync = this.#syncs.get(this.#raw.correlation[call] as number);
    if (sync === undefined) {
      const awaited = this.#endedDuring(call);
      if (awaited !== undefined) this.#untold++;
      this.#add(awaited, call, true);
    } else if (kind === 'event') this.#add(this.#beforeRecord(sync), call);
    else {
      const queue = this.#queueOfTrack.get(this.#raw.track[sync] as number);
      if (queue !== undefined) this.#add(lastBefore(queue, start), call);
    }
  }

  #streamWait(call: number): void {
    const start = this.#raw.start[call] as number;
    const sync = this.#syncs.get(this.#raw.correlation[call] as number);
    if (sync !== undefined) {
      const queue = this.#queueOfTrack.get(this.#raw.track[sync] as number);
      if (queue !== undefined) this.#add(this.#beforeRecord(sync), firstFrom(queue, start));
      return;
    }
    // A trace with such events has one for every call that made a difference.
    if (this.#syncs.size > 0) return;
    const next = firstFrom(this.#launchesOfThread(this.#raw.track[call] as number), start);
    if (next === undefined) return;
    let isTold = true;
    for (const queue of this.#launches.queues) {
      if (queue.track === this.#raw.track[next]) continue;
      const last = lastBefore(queue, start);
      if (last === undefined || endOf(this.#raw, last) > (this.#raw.start[next] as number)) continue;
      isTold = false;
      this.#add(last, next, true);
    }
    if (!isTold) this.#untold++;
  }

  /** The last work in a stream before the event was recorded that a `cuda_sync` event waits for. */
  #beforeRecord(sync: number): number | undefined {
    const record = this.#launches.callByCorrelation.get(this.#raw.waitsOnRecord[sync] as number);
    const queue = this.#queueOfStream.get(this.#raw.waitsOnStream[sync] as number);
    return record === undefined || queue === undefined
      ? undefined
      : lastBefore(queue, this.#raw.start[record] as number);
  }

  /** The work that ended last while a call lasted: what it waited for, if it waited. */
  #endedDuring(call: number): number | undefined {
    const [start, end] = [this.#raw.start[call] as number, endOf(this.#raw, call)];
    let latest: number | undefined;
    for (const { events } of this.#launches.queues) {
      const ended = partitionPoint(events.length, at => endOf(this.#raw, events[at] as number) <= end);
      const event = events[ended - 1];
      if (event === undefined || endOf(this.#raw, event) <= start) continue;
      if (latest === undefined || endOf(this.#raw, event) > endOf(this.#raw, latest)) latest = event;
    }
    return latest;
  }

  #launchesOfThread(track: number): StreamQueue {
    const known = this.#launchedBy.get(track);
    if (known !== undefined) return known;
    const { callOf } = this.#launches;
    const all = this.#launches.queues
      .flatMap(({ events, launchedAt }) => events.map((event, at) => ({ event, at: launchedAt[at] as number })))
      .filter(({ event }) => this.#raw.track[callOf[event] as number] === track)
      .sort((a, b) => a.at - b.at);
    const queue = { track, events: all.map(({ event }) => event), launchedAt: all.map(({ at }) => at) };
    this.#launchedBy.set(track, queue);
    return queue;
  }
}

/** A copy that ended before the call which launched it returned: the call waited for it, as with memory that is not pinned. */
export const isBlockingCopy = (raw: RawEvents, copy: number, call: number): boolean =>
  raw.category[copy] === CATEGORY.copy &&
  mayBlock(nameOf(raw, copy), nameOf(raw, call)) &&
  endOf(raw, copy) <= endOf(raw, call);

/** CUDA's rules: copies inside and between devices never block the host, those of pinned memory do not in an asynchronous call. Short ones just end early. */
const mayBlock = (copy: string, call: string): boolean =>
  /memcpy/i.test(copy) && !/DtoD|PtoP/.test(copy) && !(/pinned/i.test(copy) && /async/i.test(call));
