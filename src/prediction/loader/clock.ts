import { VirtualClock } from '../../simulation/virtual-clock.ts';
import { capacity, crowded, type Machine, paceAmong, teamCost } from './machine.ts';

/** Virtual time on the cores of a machine that other programs use too. */
export class SharedClock extends VirtualClock {
  readonly #machine: Machine;
  readonly #contention: number;

  constructor(machine: Machine, contention: number) {
    super(threads => paceOf(machine, threads, contention));
    this.#machine = machine;
    this.#contention = contention;
  }

  /** CPU time / useful work of a team of so many threads that begins now. */
  teamCost(threads: number): number {
    const wanting = this.threads + threads + this.#machine.others;
    return crowded(teamCost(threads, wanting, this.#machine.cores), this.#contention);
  }

  /**
   * Time for which a thread that wakes another loses its core, ns: none where cores are free, else from 0 to twice the measured mean,
   * by the level of contention. Threads share cores evenly in the long run only.
   */
  get wakeDelay(): number {
    const { cores, others, wake = 0 } = this.#machine;
    return this.threads + others < cores ? 0 : 2 * this.#contention * wake;
  }
}

/** Speed of each of so many busy threads / its speed on a core of its own; threads of other programs take their part. */
function paceOf(machine: Machine, threads: number, contention: number): number {
  const wanting = threads + machine.others;
  if (wanting <= 0) return 1;
  const { ownShare } = machine;
  if (ownShare === undefined) return Math.min(1, capacity(machine, wanting, contention) / wanting);
  const got = Math.min(threads, ownShare) / threads;
  return Math.min(1, got * paceAmong(machine, wanting, contention));
}
