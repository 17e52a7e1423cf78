// Words of a lane's activity.
const STATE = 0;
const LINK = 1;
const WORD = 2;
const WANTED = 3;
const MOVES = 4;
const ASKED = 5;
const LOOKED = 6;
const ACTIVITY_WORDS = 7;

const RUNNING = 0;
const WAITING = 1;
const GONE = 2;

/** What a lane waits for: word `word` of channel `link` to become `wanted`. */
export interface Wait {
  readonly link: number;
  readonly word: number;
  readonly wanted: number;
}

/** Whether a lane works or waits, in shared memory: so that someone can tell when nobody works any more. */
export class Activity {
  readonly memory: SharedArrayBuffer;
  readonly #words: Int32Array;

  constructor(memory = new SharedArrayBuffer(ACTIVITY_WORDS * 4)) {
    this.memory = memory;
    this.#words = new Int32Array(memory);
  }

  waits(link: number, word: number, wanted: number): void {
    const words = this.#words;
    words[LINK] = link;
    words[WORD] = word;
    words[WANTED] = wanted;
    Atomics.add(words, MOVES, 1);
    Atomics.store(words, STATE, WAITING);
  }

  /** Something was passed on while waiting. */
  moved(): void {
    Atomics.add(this.#words, MOVES, 1);
  }

  works(): void {
    Atomics.store(this.#words, STATE, RUNNING);
  }

  gone(): void {
    Atomics.store(this.#words, STATE, GONE);
  }

  get moves(): number {
    return Atomics.load(this.#words, MOVES);
  }

  /** Wants the lane to look again, where it waits; it has to be woken for that. */
  ask(): void {
    Atomics.add(this.#words, ASKED, 1);
  }

  get asked(): number {
    return Atomics.load(this.#words, ASKED);
  }

  /** The lane looked for all that would let it go on, after it was asked for the `asked`-th time, and found nothing. */
  looked(asked: number): void {
    Atomics.store(this.#words, LOOKED, asked);
  }

  /** It has looked since it was last asked. A lane that gets no core has not, nor has one that died. */
  get hasLooked(): boolean {
    return Atomics.load(this.#words, LOOKED) === this.asked;
  }

  /** Undefined while it works; 'gone' when it never will again. */
  get state(): Wait | 'gone' | undefined {
    const words = this.#words;
    const state = Atomics.load(words, STATE);
    if (state === GONE) return 'gone';
    if (state === RUNNING) return undefined;
    return { link: words[LINK] ?? 0, word: words[WORD] ?? 0, wanted: words[WANTED] ?? 0 };
  }
}
