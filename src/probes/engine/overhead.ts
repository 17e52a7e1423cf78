/** Clocks of different grain may disagree by this part. */
const GRAIN = 0.02;
/** Least share of the lane's CPU in usable intervals for an estimate from them. */
const LEAST_SEEN = 0.05;

/** A lane's totals at one moment, ns. */
export interface WorkTotals {
  readonly cpu: number;
  readonly runnable: number;
  /** Wall time of its work, waits on channels left out. */
  readonly busy: number;
  /** Wall time of that in operators. */
  readonly inOperators: number;
}

/**
 * The part of a lane's CPU that was the engine's own work around the user's functions.
 *
 * Operators are timed by the wall clock: reading the CPU clock around every loop would cost too much. In an interval between
 * two readings in which no operator slept or lost its core, that wall time is CPU, and the rest of the interval's CPU is the
 * engine's. Other intervals are recognised and left out: they have more wall time in operators than CPU. Wall time outside
 * operators is no substitute: a thread loses its core mostly there, when it has just woken another, and the clock then
 * counts the neighbour's work.
 */
export class Overhead {
  #last: WorkTotals;
  #seen = 0;
  #outside = 0;

  constructor(opened: WorkTotals) {
    this.#last = opened;
  }

  add(now: WorkTotals): void {
    const cpu = now.cpu - this.#last.cpu;
    const inOperators = now.inOperators - this.#last.inOperators;
    this.#last = now;
    if (cpu < inOperators * (1 - GRAIN)) return;
    this.#seen += cpu;
    this.#outside += cpu - inOperators;
  }

  /** The engine's part of `cpu`, the lane's CPU in all. Without usable intervals: wall time outside operators, less queueing. */
  of(cpu: number): number {
    const { busy, inOperators, runnable } = this.#last;
    if (busy === 0) return 0;
    if (this.#seen > 0 && this.#seen >= LEAST_SEEN * cpu) return cpu * Math.max(0, this.#outside / this.#seen);
    return Math.min(cpu, Math.max(0, busy - inOperators - runnable));
  }
}
