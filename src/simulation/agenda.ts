/** No event. */
export const NONE = -1;

/** Children of a place in the heap: half as many levels as with two, and the four lie beside each other. */
const WAYS = 4;

/**
 * Events in the order of their moments; of equals, the one pushed first. A heap in typed arrays: an event is a number of its user's, which
 * also says how many `threads` it stands for, where that counts.
 */
export class Agenda {
  #moments: Float64Array = new Float64Array(64);
  /** How many events were put in before. */
  #orders: Float64Array = new Float64Array(64);
  #events: Int32Array = new Int32Array(64);
  #threads: Float64Array = new Float64Array(64);
  #size = 0;
  #order = 0;

  /** Infinity where there is none. */
  get firstMoment(): number {
    return this.#size === 0 ? Number.POSITIVE_INFINITY : (this.#moments[0] as number);
  }

  /** NONE where there is none. */
  get firstEvent(): number {
    return this.#size === 0 ? NONE : (this.#events[0] as number);
  }

  get firstThreads(): number {
    return this.#threads[0] as number;
  }

  push(moment: number, event: number, threads = 0): void {
    if (this.#size === this.#events.length) this.#grow();
    const moments = this.#moments;
    let at = this.#size++;
    while (at > 0) {
      const parent = ((at - 1) / WAYS) | 0;
      // Of equal moments, the event pushed later has the higher order.
      if ((moments[parent] as number) <= moment) break;
      this.#copy(parent, at);
      at = parent;
    }
    this.#put(at, moment, this.#order++, event, threads);
  }

  /** The first event, which goes; NONE where there is none. */
  pop(): number {
    if (this.#size === 0) return NONE;
    const first = this.#events[0] as number;
    const size = --this.#size;
    if (size > 0) this.#sink(size);
    return first;
  }

  /** Puts what stands at `from`, the end, in the place of the first. */
  #sink(from: number): void {
    const moment = this.#moments[from] as number;
    const order = this.#orders[from] as number;
    let at = 0;
    for (let child = 1; child < from; child = WAYS * at + 1) {
      let least = child;
      const end = Math.min(child + WAYS, from);
      for (let other = child + 1; other < end; other++) {
        if (this.#isBefore(other, this.#moments[least] as number, this.#orders[least] as number)) least = other;
      }
      if (!this.#isBefore(least, moment, order)) break;
      this.#copy(least, at);
      at = least;
    }
    this.#put(at, moment, order, this.#events[from] as number, this.#threads[from] as number);
  }

  #isBefore(at: number, moment: number, order: number): boolean {
    const own = this.#moments[at] as number;
    return own < moment || (own === moment && (this.#orders[at] as number) < order);
  }

  #copy(from: number, to: number): void {
    this.#moments[to] = this.#moments[from] as number;
    this.#orders[to] = this.#orders[from] as number;
    this.#events[to] = this.#events[from] as number;
    this.#threads[to] = this.#threads[from] as number;
  }

  #put(at: number, moment: number, order: number, event: number, threads: number): void {
    this.#moments[at] = moment;
    this.#orders[at] = order;
    this.#events[at] = event;
    this.#threads[at] = threads;
  }

  #grow(): void {
    const length = 2 * this.#events.length;
    const grown = (old: Float64Array): Float64Array => {
      const made = new Float64Array(length);
      made.set(old);
      return made;
    };
    this.#moments = grown(this.#moments);
    this.#orders = grown(this.#orders);
    this.#threads = grown(this.#threads);
    const events = new Int32Array(length);
    events.set(this.#events);
    this.#events = events;
  }
}
