const ARRIVED = 0;
const ROUND = 1;

export const allocateBarrier = (): SharedArrayBuffer => new SharedArrayBuffer(8);

/** Where threads wait for each other: all go on when the last has come. */
export class Barrier {
  readonly #words: Int32Array;
  readonly #parties: number;

  constructor(memory: SharedArrayBuffer, parties: number) {
    this.#words = new Int32Array(memory);
    this.#parties = parties;
  }

  wait(): void {
    const words = this.#words;
    const round = Atomics.load(words, ROUND);
    if (Atomics.add(words, ARRIVED, 1) === this.#parties - 1) {
      Atomics.store(words, ARRIVED, 0);
      Atomics.add(words, ROUND, 1);
      Atomics.notify(words, ROUND);
      return;
    }
    while (Atomics.load(words, ROUND) === round) Atomics.wait(words, ROUND, round);
  }
}
