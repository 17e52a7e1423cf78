import { NONE } from '../../simulation/agenda.ts';
import type { Units } from './units.ts';

/**
 * Chunks that run on the units of each worker. A slot holds one of them: there is one for each unit, then one for each further lane of the worker's processor. The last stands
 * for what comes before a step: a pause, the wait for a batch.
 */
export class RunningChunks {
  /** Of a worker. */
  readonly slots: number;
  readonly inputSlot: number;
  readonly #units: number;
  readonly #workerUnit: number;
  readonly #lanes: number;
  /** By worker × units + unit. */
  readonly #running: Int32Array;
  /** By worker × slots + slot. */
  readonly #ops: Int32Array;
  readonly #starts: Float64Array;

  constructor(workers: number, units: Units, lanes: number) {
    this.inputSlot = units.count + lanes - 1;
    this.slots = this.inputSlot + 1;
    this.#units = units.count;
    this.#workerUnit = units.worker;
    this.#lanes = lanes;
    this.#running = new Int32Array(workers * units.count);
    this.#ops = new Int32Array(workers * this.slots).fill(NONE);
    this.#starts = new Float64Array(workers * this.slots);
  }

  hasRoom(worker: number, unit: number): boolean {
    return (this.#running[worker * this.#units + unit] as number) < (unit === this.#workerUnit ? this.#lanes : 1);
  }

  /** Worker × slots + the slot that the chunk is in. */
  start(worker: number, unit: number, op: number, now: number): number {
    const place = worker * this.#units + unit;
    this.#running[place] = (this.#running[place] as number) + 1;
    const slot = unit === this.#workerUnit && this.#lanes > 1 ? this.#freeLane(worker) : unit;
    const index = worker * this.slots + slot;
    this.#ops[index] = op;
    this.#starts[index] = now;
    return index;
  }

  end(worker: number, unit: number, slot: number): void {
    const place = worker * this.#units + unit;
    this.#running[place] = (this.#running[place] as number) - 1;
    this.#ops[worker * this.slots + slot] = NONE;
  }

  /** NONE where the slot is free. */
  opIn(worker: number, slot: number): number {
    return this.#ops[worker * this.slots + slot] as number;
  }

  startIn(worker: number, slot: number): number {
    return this.#starts[worker * this.slots + slot] as number;
  }

  unitOf(slot: number): number {
    return slot < this.#units ? slot : this.#workerUnit;
  }

  #freeLane(worker: number): number {
    const first = worker * this.slots;
    if (this.#ops[first + this.#workerUnit] === NONE) return this.#workerUnit;
    for (let slot = this.#units; slot < this.inputSlot; slot++) if (this.#ops[first + slot] === NONE) return slot;
    throw new Error('No lane of the worker is free.');
  }
}
