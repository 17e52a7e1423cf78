import { NONE } from '../../simulation/agenda.ts';

/** Ops that wait for a unit of their worker, first come, first served: linked lists in typed arrays. */
export class UnitQueues {
  readonly #units: number;
  readonly #most: number;
  /** By worker × units + unit: of ops, and of the rest of streams where fresh ones go first. */
  readonly #heads: Int32Array;
  readonly #tails: Int32Array;
  readonly #restHeads: Int32Array;
  readonly #restTails: Int32Array;
  /** By worker × most + op. */
  readonly #next: Int32Array;

  /** `most`: ops of a step. */
  constructor(workers: number, units: number, most: number) {
    this.#units = units;
    this.#most = most;
    const queues = workers * units;
    this.#heads = new Int32Array(queues).fill(NONE);
    this.#tails = new Int32Array(queues);
    this.#restHeads = new Int32Array(queues).fill(NONE);
    this.#restTails = new Int32Array(queues);
    this.#next = new Int32Array(workers * most);
  }

  push(worker: number, unit: number, op: number): void {
    const place = worker * this.#units + unit;
    const first = worker * this.#most;
    this.#next[first + op] = NONE;
    if (this.#heads[place] === NONE) this.#heads[place] = op;
    else this.#next[first + (this.#tails[place] as number)] = op;
    this.#tails[place] = op;
  }

  /** Behind all that is pushed, also later. */
  pushRest(worker: number, unit: number, op: number): void {
    const place = worker * this.#units + unit;
    const first = worker * this.#most;
    this.#next[first + op] = NONE;
    if (this.#restHeads[place] === NONE) this.#restHeads[place] = op;
    else this.#next[first + (this.#restTails[place] as number)] = op;
    this.#restTails[place] = op;
  }

  /** The next op, which goes; NONE where there is none. */
  take(worker: number, unit: number): number {
    const place = worker * this.#units + unit;
    const op = this.#heads[place] as number;
    if (op !== NONE) {
      this.#heads[place] = this.#next[worker * this.#most + op] as number;
      return op;
    }
    const rest = this.#restHeads[place] as number;
    if (rest !== NONE) this.#restHeads[place] = this.#next[worker * this.#most + rest] as number;
    return rest;
  }
}
