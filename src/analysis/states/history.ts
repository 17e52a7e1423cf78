import type { StageTopology } from '../../graph/stage-topology.ts';
import { entryOf } from '../../math/groups.ts';
import { type NarrowPlace, narrowPlaces, placeId } from './detect.ts';
import type { StateWindow } from './window.ts';

/** Steps by which a window slides on. */
export const STEPS_PER_WINDOW = 4;
/** A new place must hold for this many steps before it takes over: half a window. */
const DWELL = STEPS_PER_WINDOW / 2;

/** An interval with one narrow place, or without one; ns. */
export interface HeldSegment {
  readonly from: number;
  to: number;
  readonly place: NarrowPlace | undefined;
}

/** A place and the time it held in all, ns; how often it took over, and when it did first. */
export interface HeldPlace {
  place: NarrowPlace;
  time: number;
  readonly first: number;
  times: number;
}

/** Share of the time from which a bottleneck is chronic, and not passing: more often there than not. */
const CHRONIC = 0.5;

export const natureOf = (share: number): 'chronic' | 'passing' => (share >= CHRONIC ? 'chronic' : 'passing');

/** The narrow place over time: feed it the windows of a run as they slide on. */
export class NarrowHistory {
  readonly #topology: StageTopology;
  readonly #settled = new Settled();
  readonly #segments: HeldSegment[] = [];
  readonly #held = new Map<string, HeldPlace>();
  readonly #mostSegments: number;
  #before: ReadonlySet<string> = new Set();
  #time = 0;

  /** The oldest segments beyond `mostSegments` are forgotten; the places they had are not. */
  constructor(topology: StageTopology, mostSegments = Number.POSITIVE_INFINITY) {
    this.#topology = topology;
    this.#mostSegments = mostSegments;
  }

  get segments(): readonly HeldSegment[] {
    return this.#segments;
  }

  /** All time that was looked at, ns. */
  get time(): number {
    return this.#time;
  }

  get held(): readonly HeldPlace[] {
    return [...this.#held.values()];
  }

  add(window: StateWindow): void {
    const places = narrowPlaces(this.#topology, window, this.#before);
    this.#before = new Set(places.map(placeId));
    const place = this.#settled.next(places[0]);
    const last = this.#segments.at(-1);
    const from = last?.to ?? window.from;
    const isNew = last === undefined || !sameId(last.place, place);
    if (isNew) this.#segments.push({ from, to: window.to, place });
    else last.to = window.to;
    if (this.#segments.length > this.#mostSegments) this.#segments.shift();
    this.#time += window.to - from;
    if (place === undefined) return;
    const held = entryOf(this.#held, placeId(place), () => ({ place, time: 0, first: from, times: 0 }));
    held.place = place;
    held.time += window.to - from;
    if (isNew) held.times++;
  }
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
