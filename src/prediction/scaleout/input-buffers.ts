import { NONE } from '../../simulation/agenda.ts';
import type { InputPipeline } from './cluster.ts';

/** Batches that each worker's input pipeline prepares one after the other, as many ahead as its buffer holds. */
export class InputBuffers {
  readonly #seconds: number;
  readonly #buffer: number;
  /** By worker: when its latest batch is ready, and that batch's number. */
  readonly #ready: Float64Array;
  readonly #latest: Int32Array;
  /** By worker × buffer + number modulo buffer: when that batch was taken. */
  readonly #taken: Float64Array;

  constructor(workers: number, { rate, buffer }: InputPipeline) {
    this.#seconds = 1 / rate;
    this.#buffer = buffer;
    this.#ready = new Float64Array(workers);
    this.#latest = new Int32Array(workers).fill(NONE);
    this.#taken = new Float64Array(workers * buffer);
  }

  /** When a worker's batch of this number is ready; asked for in the order of numbers. */
  readyAt(worker: number, number: number): number {
    if (this.#latest[worker] !== number) {
      // It is begun when the one before is ready and the one that had its place in the buffer has been taken.
      const place = this.#taken[this.#placeOf(worker, number)] as number;
      this.#ready[worker] = Math.max(this.#ready[worker] as number, place) + this.#seconds;
      this.#latest[worker] = number;
    }
    return this.#ready[worker] as number;
  }

  take(worker: number, number: number, now: number): void {
    this.#taken[this.#placeOf(worker, number)] = now;
  }

  #placeOf(worker: number, number: number): number {
    return worker * this.#buffer + (number % this.#buffer);
  }
}
