import type { StageTopology } from '../../graph/stage-topology.ts';
import { entryOf } from '../../math/groups.ts';
import { highest, sumOf } from '../../math/totals.ts';
import { type Ns, ns, type Share, share } from '../../model/units.ts';
import type { SteadyPart } from '../rates/steady.ts';
import type { Timeline } from '../timeline.ts';
import { type NarrowPlace, narrowPlaces, placeId } from './detect.ts';
import { StateView, type StateWindow } from './window.ts';

/** The place that held the flow back over an interval of time; none where nothing did clearly. */
export interface Segment {
  readonly from: Ns;
  readonly to: Ns;
  readonly place: NarrowPlace | undefined;
}

export interface StateVerdict {
  readonly windowNs: Ns;
  readonly segments: readonly Segment[];
  /** The place that held for longest, and for what part of the time. */
  readonly place: NarrowPlace | undefined;
  readonly held: Share;
  /** How often the verdict changed. */
  readonly changes: number;
  /** The whole steady part as one window. */
  readonly whole: StateWindow;
  /** Where nothing passed the threshold: what came nearest to it. */
  readonly nearest: NarrowPlace | undefined;
}

const LEAST_WINDOW_NS = 1e9;
/** A window near the length of one chunk sees single chunks come and go (flink.md: 16 kB batches flip 5 s windows). */
const CHUNKS_PER_WINDOW = 8;
/** Steps by which a window slides on. */
const STEPS_PER_WINDOW = 4;
/** A new place must hold for this many steps before it takes over: half a window. */
const DWELL = STEPS_PER_WINDOW / 2;

/** The narrow place over time, by a window that slides over the steady part; its `length`, ns, is by default `windowFor`. */
export function stateVerdict(
  topology: StageTopology,
  timeline: Timeline,
  steady: SteadyPart,
  length?: number,
): StateVerdict {
  const view = new StateView(topology, timeline);
  const { from, to } = steady;
  const windowNs = length ?? windowFor(view, timeline.binNs, from, to);
  const step = windowNs / STEPS_PER_WINDOW;
  const whole = view.window(from, to);
  const settled = new Settled();
  let before: ReadonlySet<string> = new Set();
  const segments: { from: number; to: number; place: NarrowPlace | undefined }[] = [];
  for (let start: number = from; start + windowNs <= to + 1; start += step) {
    const places = narrowPlaces(topology, view.window(start, start + windowNs), before);
    before = new Set(places.map(placeId));
    const place = settled.next(places[0]);
    const last = segments.at(-1);
    const end = start + windowNs;
    if (last !== undefined && sameId(last.place, place)) last.to = end;
    else segments.push({ from: last?.to ?? start, to: end, place });
  }
  const held = new Map<string, { place: NarrowPlace; time: number }>();
  for (const { place, from: start, to: end } of segments) {
    if (place === undefined) continue;
    const entry = entryOf(held, placeId(place), () => ({ place, time: 0 }));
    entry.place = place;
    entry.time += end - start;
  }
  const longest = highest(held.values(), ({ time }) => time);
  const all = sumOf(segments, segment => segment.to - segment.from);
  return {
    windowNs: ns(windowNs),
    segments: segments.map(({ from: start, to: end, place }) => ({ from: ns(start), to: ns(end), place })),
    place: longest?.place,
    held: share(longest === undefined ? 0 : longest.time / all),
    changes: Math.max(0, segments.length - 1),
    whole,
    nearest: nearestPlace(whole),
  };
}

/** Several of the slowest chunks, but never so much that a short run is one window. */
function windowFor(view: StateView, binNs: number, from: number, to: number): number {
  const wanted = Math.max(LEAST_WINDOW_NS, CHUNKS_PER_WINDOW * view.longestChunk(from, to), 2 * binNs);
  return Math.max(1, Math.min(wanted, (to - from) / 2));
}

const sameId = (a: NarrowPlace | undefined, b: NarrowPlace | undefined): boolean =>
  a === undefined || b === undefined ? a === b : placeId(a) === placeId(b);

/** Hysteresis in time: a change counts once it has lasted. */
class Settled {
  #current: NarrowPlace | undefined;
  #challenger: NarrowPlace | undefined;
  #seen = 0;
  #started = false;

  next(place: NarrowPlace | undefined): NarrowPlace | undefined {
    if (!this.#started || sameId(place, this.#current)) {
      this.#started = true;
      this.#current = place;
      this.#seen = 0;
      return place;
    }
    this.#seen = sameId(place, this.#challenger) ? this.#seen + 1 : 1;
    this.#challenger = place;
    if (this.#seen > DWELL) {
      this.#current = place;
      this.#seen = 0;
    }
    return this.#current;
  }
}

/** The vertex with the busiest lanes: of equals, the one nearest the consumer. */
function nearestPlace({ vertices }: StateWindow): NarrowPlace | undefined {
  let most: NarrowPlace | undefined;
  for (const { vertex, busy, processing, states, lanes } of vertices) {
    if (lanes === 0 || (most !== undefined && most.share > busy)) continue;
    most = { type: 'vertex', limit: processing >= states.blocked ? 'cpu' : 'blocked', vertex, share: busy };
  }
  return most;
}
