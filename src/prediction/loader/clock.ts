import { capacity, crowded, type Machine, paceAmong, teamCost } from './machine.ts';

type Act = () => void;

interface Entry {
  readonly at: number;
  readonly order: number;
  readonly threads: number;
  readonly act: Act;
}

/** Earliest first; of equals, who came first. */
class Agenda {
  readonly #heap: Entry[] = [];

  get first(): Entry | undefined {
    return this.#heap[0];
  }

  push(entry: Entry): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(entry);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || !isBefore(entry, above)) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = entry;
  }

  pop(): Entry | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      const [left, right] = [heap[child], heap[child + 1]];
      if (left === undefined) break;
      if (right !== undefined && isBefore(right, left)) child++;
      const next = heap[child];
      if (next === undefined || !isBefore(next, last)) break;
      heap[at] = next;
      at = child;
    }
    heap[at] = last;
    return first;
  }
}

const isBefore = (a: Entry, b: Entry): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);

/**
 * Simulated time on cores that all busy threads share evenly, as a fair scheduler shares them. Every thread proceeds at
 * the same pace, so its end lies at a fixed point on a second clock that runs at that pace: no event has to be moved when
 * others come and go.
 */
export class SharedClock {
  readonly #machine: Machine;
  readonly #suffering: number;
  readonly #timers = new Agenda();
  readonly #busy = new Agenda();
  #now = 0;
  /** CPU that a thread which is always busy has had. */
  #worked = 0;
  #threads = 0;
  #order = 0;

  constructor(machine: Machine, suffering: number) {
    this.#machine = machine;
    this.#suffering = suffering;
  }

  get now(): number {
    return this.#now;
  }

  /** Asleep for so long. */
  after(time: number, act: Act): void {
    this.#timers.push({ at: this.#now + time, order: this.#order++, threads: 0, act });
  }

  /** So many threads busy until each has had `cpu`. */
  work(cpu: number, threads: number, act: Act): void {
    this.#threads += threads;
    this.#busy.push({ at: this.#worked + cpu, order: this.#order++, threads, act });
  }

  /** What a team of so many threads that begins now has to do for each unit of its work. */
  teamCost(threads: number): number {
    const cost = teamCost(threads, this.#threads + threads + this.#machine.others, this.#machine.cores);
    return crowded(cost, this.#suffering);
  }

  /**
   * What a thread waits for a core that sets another to work now: nothing where cores are free, else what was measured on average, from nothing
   * to twice as much. Threads share cores evenly in the long run only.
   */
  get wakeDelay(): number {
    const { cores, others, wake = 0 } = this.#machine;
    return this.#threads + others < cores ? 0 : 2 * this.#suffering * wake;
  }

  /** Goes on to the next thing that happens; false where nothing is left. */
  next(): boolean {
    const pace = this.#pace();
    const timer = this.#timers.first;
    const busy = this.#busy.first;
    if (timer === undefined && busy === undefined) return false;
    const workEnds = busy === undefined ? Number.POSITIVE_INFINITY : this.#now + (busy.at - this.#worked) / pace;
    if (timer !== undefined && timer.at <= workEnds) {
      this.#timers.pop();
      this.#advance(timer.at, pace);
      timer.act();
    } else if (busy !== undefined) {
      this.#busy.pop();
      this.#advance(workEnds, pace);
      this.#threads -= busy.threads;
      busy.act();
    }
    return true;
  }

  #advance(to: number, pace: number): void {
    this.#worked += (to - this.#now) * pace;
    this.#now = to;
  }

  /** What one of the busy threads gets done per unit of time; other programs' threads want their part too. */
  #pace(): number {
    const wanting = this.#threads + this.#machine.others;
    if (this.#threads === 0 || wanting <= 0) return 1;
    const { ownShare } = this.#machine;
    if (ownShare !== undefined) {
      const got = Math.min(this.#threads, ownShare) / this.#threads;
      return Math.min(1, got * paceAmong(this.#machine, wanting, this.#suffering));
    }
    return Math.min(1, capacity(this.#machine, wanting, this.#suffering) / wanting);
  }
}
