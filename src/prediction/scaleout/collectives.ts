import type { Cluster } from './cluster.ts';
import type { CompiledSteps } from './compile.ts';

/** Columns of what changes with every collective. */
const SECONDS = 0;
const END = 1;
const FIGURES = END + 1;

/** Collectives, one at a time: each begins when the last worker has come to its own part of it. The n-th of one worker belongs to the n-th of every other. */
export class Collectives {
  readonly #workers: number;
  /** By row: seconds. */
  readonly #times: Float64Array;
  readonly #figures = new Float64Array(FIGURES);
  /** Workers that have come to the next one. */
  #arrived = 0;

  constructor({ units, unit, bytes }: CompiledSteps, { workers, allReduceTime }: Cluster) {
    this.#workers = workers;
    this.ended();
    this.#times =
      allReduceTime === undefined
        ? new Float64Array(0)
        : bytes.map((own, row) => (unit[row] === units.collective ? allReduceTime(own) : 0));
  }

  /** When the one that runs ends; Infinity where none does. */
  get end(): number {
    return this.#figures[END] as number;
  }

  /** A worker has come to its part. Seconds that the collective takes, where all have come; else NaN. */
  arrive(row: number, now: number): number {
    const seconds = Math.max(this.#figures[SECONDS] as number, this.#times[row] as number);
    this.#arrived++;
    if (this.#arrived < this.#workers) {
      this.#figures[SECONDS] = seconds;
      return Number.NaN;
    }
    this.#arrived = 0;
    this.#figures[SECONDS] = 0;
    this.#figures[END] = now + seconds;
    return seconds;
  }

  ended(): void {
    this.#figures[END] = Number.POSITIVE_INFINITY;
  }

  /** Seconds that the one that runs still takes. */
  left(now: number): number {
    const { end } = this;
    return end === Number.POSITIVE_INFINITY ? 0 : end - now;
  }
}
