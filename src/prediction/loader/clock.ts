import { NONE } from '../../simulation/agenda.ts';
import { VirtualClock } from '../../simulation/virtual-clock.ts';
import { capacity, crowded, type Machine, paceAmong, teamCost } from './machine.ts';

type Act = () => void;

/** Virtual time on the cores of a machine that other programs use too. */
export class SharedClock {
  readonly #machine: Machine;
  readonly #suffering: number;
  readonly #clock: VirtualClock;
  /** What each event stands for. Its number is given to another one once it has come. */
  readonly #acts: Act[] = [];
  readonly #free: number[] = [];

  constructor(machine: Machine, suffering: number) {
    this.#machine = machine;
    this.#suffering = suffering;
    this.#clock = new VirtualClock(threads => paceOf(machine, threads, suffering));
  }

  get now(): number {
    return this.#clock.now;
  }

  /** Asleep for so long. */
  after(time: number, act: Act): void {
    this.#clock.after(time, this.#eventOf(act));
  }

  /** So many threads busy until each has had `cpu`. */
  work(cpu: number, threads: number, act: Act): void {
    this.#clock.work(cpu, threads, this.#eventOf(act));
  }

  /** What a team of so many threads that begins now has to do for each unit of its work. */
  teamCost(threads: number): number {
    const wanting = this.#clock.threads + threads + this.#machine.others;
    return crowded(teamCost(threads, wanting, this.#machine.cores), this.#suffering);
  }

  /**
   * What a thread waits for a core that sets another to work now: nothing where cores are free, else what was measured on average, from nothing
   * to twice as much. Threads share cores evenly in the long run only.
   */
  get wakeDelay(): number {
    const { cores, others, wake = 0 } = this.#machine;
    return this.#clock.threads + others < cores ? 0 : 2 * this.#suffering * wake;
  }

  /** Goes on to the next thing that happens; false where nothing is left. */
  next(): boolean {
    const event = this.#clock.next();
    if (event === NONE) return false;
    this.#free.push(event);
    this.#acts[event]?.();
    return true;
  }

  #eventOf(act: Act): number {
    const event = this.#free.pop() ?? this.#acts.length;
    this.#acts[event] = act;
    return event;
  }
}

/** What one of the busy threads gets done per unit of time; other programs' threads want their part too. */
function paceOf(machine: Machine, threads: number, suffering: number): number {
  const wanting = threads + machine.others;
  if (wanting <= 0) return 1;
  const { ownShare } = machine;
  if (ownShare === undefined) return Math.min(1, capacity(machine, wanting, suffering) / wanting);
  const got = Math.min(threads, ownShare) / threads;
  return Math.min(1, got * paceAmong(machine, wanting, suffering));
}
