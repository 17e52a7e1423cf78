// Words of a mark.
const SINCE = 0;
const ELEMENT = 1;
const ELEMENTS = 2;
const WAITED = 3;
const CALL_SINCE = 4;
const CALL_ELEMENT = 5;
const CALL_OPERATOR = 6;
const LOOKED = 7;
const MARK_WORDS = 8;

/** A call of an async function that has not come back. */
export interface OpenCall {
  /** Position of its operator in the stage. */
  readonly at: number;
  readonly element: number;
  /** ns since the run's start. */
  readonly since: number;
}

/** What a lane is at. */
export interface Work {
  /** ns since the run's start. */
  readonly since: number;
  /** ns of waiting that the lane had behind it when it began. */
  readonly waited: number;
  /** Number of the first element; undefined where a source is read, or an operator hands out what it held. */
  readonly element: number | undefined;
  /** How many there are from there on: which of them it is at only the lane knows. */
  readonly elements: number;
  /** Position of the operator in the stage, where that is known. */
  readonly at: number | undefined;
}

/** What a lane says of its calls is old news when it has not looked for this long: its thread is kept busy. */
const FRESH_NS = 2e9;
/** How often it looks. */
export const LOOK_MS = 250;

/** What a lane is at, in shared memory: a span is written down when it ends, and some never do. */
export class WorkMark {
  readonly memory: SharedArrayBuffer;
  readonly #words: Float64Array;

  constructor(memory = new SharedArrayBuffer(MARK_WORDS * 8)) {
    this.memory = memory;
    this.#words = new Float64Array(memory);
  }

  /** Work begins on `elements` elements from number `element` on; on none where it is of another kind. */
  begin(now: number, waited: number, element: number, elements: number): void {
    const words = this.#words;
    words[ELEMENT] = element;
    words[ELEMENTS] = elements;
    words[WAITED] = waited;
    words[SINCE] = now;
  }

  end(): void {
    this.#words[SINCE] = 0;
  }

  /** The oldest of the calls that are under way. */
  look(now: number, oldest: OpenCall | undefined): void {
    const words = this.#words;
    words[CALL_SINCE] = oldest?.since ?? 0;
    words[CALL_ELEMENT] = oldest?.element ?? 0;
    words[CALL_OPERATOR] = oldest?.at ?? 0;
    words[LOOKED] = now;
  }

  read(now: number): Work | undefined {
    const [since = 0, element = 0, elements = 0, waited = 0, called = 0, callElement = 0, at = 0, looked = 0] =
      this.#words;
    if (since === 0) return undefined;
    if (called > 0 && now - looked < FRESH_NS) {
      return { since: Math.max(since, called), waited, element: callElement, elements: 1, at };
    }
    return { since, waited, element: elements === 0 ? undefined : element, elements, at: undefined };
  }
}
