import { Agenda, NONE } from './agenda.ts';

/**
 * Virtual time on cores that all busy threads share evenly, as a fair scheduler shares them. Every thread proceeds at
 * the same pace, so its end lies at a fixed point on a second clock that runs at that pace: no event has to be moved when
 * others come and go. Events are numbers of the user's, which asks for the next one and handles it.
 */
export class VirtualClock {
  readonly #paceOf: (threads: number) => number;
  readonly #timers = new Agenda();
  readonly #busy = new Agenda();
  #now = 0;
  #worked = 0;
  #threads = 0;
  #pace = 1;

  /** `paceOf`: what one of so many busy threads gets done per unit of time, in parts of what it does on a core of its own. */
  constructor(paceOf: (threads: number) => number) {
    this.#paceOf = paceOf;
  }

  get now(): number {
    return this.#now;
  }

  /** CPU that a thread which is always busy has had. */
  get worked(): number {
    return this.#worked;
  }

  /** Those that are busy. */
  get threads(): number {
    return this.#threads;
  }

  /** When the next event comes, unless something else begins before; Infinity where there is none. */
  get nextMoment(): number {
    return Math.min(this.#timers.firstMoment, this.#workEnds());
  }

  /** The event comes at that moment. */
  at(moment: number, event: number): void {
    this.#timers.push(moment, event);
  }

  /** Asleep for so long. */
  after(time: number, event: number): void {
    this.#timers.push(this.#now + time, event);
  }

  /** So many threads busy until each has had `cpu`. */
  work(cpu: number, threads: number, event: number): void {
    this.#setThreads(this.#threads + threads);
    this.#busy.push(this.#worked + cpu, event, threads);
  }

  /** Goes on to the next event, and gives it; NONE where none is left. Timers come before work that ends at the same moment. */
  next(): number {
    const workEnds = this.#workEnds();
    const timer = this.#timers.firstMoment;
    if (timer <= workEnds) {
      if (timer === Number.POSITIVE_INFINITY) return NONE;
      this.advance(timer);
      return this.#timers.pop();
    }
    this.advance(workEnds);
    this.#setThreads(this.#threads - this.#busy.firstThreads);
    return this.#busy.pop();
  }

  /** Lets time pass in which nothing happens. */
  advance(to: number): void {
    this.#worked += (to - this.#now) * this.#pace;
    this.#now = to;
  }

  #workEnds(): number {
    return this.#now + (this.#busy.firstMoment - this.#worked) / this.#pace;
  }

  #setThreads(threads: number): void {
    this.#threads = threads;
    this.#pace = threads === 0 ? 1 : this.#paceOf(threads);
  }
}
