import { elementsForCalls } from '../../compile/chunk-size.ts';
import { SKIPPED } from './guard.ts';

/** Elements with their numbers, column by column. */
export interface Numbered {
  readonly values: unknown[];
  readonly sequence: number[];
  readonly sub: number[];
}

export type Invoke = (element: unknown, sequence: number, sub: number) => Promise<unknown>;

interface Call {
  readonly element: unknown;
  readonly sequence: number;
  readonly sub: number;
  result: unknown;
  done: boolean;
}

/** Results that may wait behind one slow call, as a multiple of the calls under way; and at least so many. */
const AHEAD = 8;
const LEAST_AHEAD = 64;
/** So many results in order are worth handing on before the others have come. */
const WORTH_TAKING = 64;
/** Fewer are handed on after this long: who waits for them may be the one that the others wait for. */
const PATIENCE_MS = 10;

/** Calls of an async function: `concurrency` are under way at once, and results are taken in the elements' order. */
export class AsyncCalls {
  readonly #invoke: Invoke;
  readonly #concurrency: number;
  readonly #most: number;
  readonly #calls: Call[] = [];
  /** Calls from the front that are done, and that are started. */
  #inOrder = 0;
  #started = 0;
  #running = 0;
  #failure: { readonly error: unknown } | undefined;
  #given = false;
  /** Who waits, and what for. */
  #waiter: { due(): boolean; wake(): void } | undefined;
  /** It has waited long enough to be content with any result. */
  #impatient = false;

  constructor(invoke: Invoke, concurrency: number) {
    this.#invoke = invoke;
    this.#concurrency = concurrency;
    this.#most = Math.max(LEAST_AHEAD, AHEAD * concurrency);
  }

  /** Elements that a piece should hold, so that its last calls are few beside the others. */
  get wantedAtOnce(): number {
    return elementsForCalls(this.#concurrency);
  }

  /** Elements to add at a time: enough for every call under way. */
  get slice(): number {
    return Math.max(LEAST_AHEAD, this.#concurrency);
  }

  /** Takes `count` elements over and starts as many calls as may be under way. */
  add({ values, sequence, sub }: Numbered, count: number): void {
    for (let at = 0; at < count; at++) {
      const call = { element: values[at], sequence: sequence[at] ?? 0, sub: sub[at] ?? 0, result: undefined };
      this.#calls.push({ ...call, done: false });
    }
    this.#start();
  }

  get empty(): boolean {
    return this.#calls.length === 0;
  }

  /**
   * Waits until calls could be started if there were elements, or results are worth taking; with `last`, where nothing follows,
   * until all are there, or some have been there for a while. A failure is told when no call is under way any more: none is left running behind the user's back.
   */
  async progress(last: boolean): Promise<void> {
    const due = (): boolean => this.#due(last);
    if (!due()) {
      const timer = setTimeout(() => {
        this.#impatient = true;
        if (due()) this.#waiter?.wake();
      }, PATIENCE_MS);
      await this.#until(due);
      clearTimeout(timer);
      this.#impatient = false;
    }
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  async #until(due: () => boolean): Promise<void> {
    if (due()) return;
    await new Promise<void>(wake => {
      this.#waiter = { due, wake };
    });
    this.#waiter = undefined;
  }

  #due(last: boolean): boolean {
    if (this.#failure !== undefined) return this.#running === 0;
    if (this.#inOrder >= (this.#impatient ? 1 : WORTH_TAKING) || this.#inOrder === this.#calls.length) return true;
    return !last && this.#started === this.#calls.length && this.#running < this.#concurrency;
  }

  /** The results that have come, as far as they are in order; without those of elements that were given up. */
  take(): Numbered & { readonly calls: number } {
    const done = this.#calls.splice(0, this.#inOrder);
    this.#started -= done.length;
    this.#inOrder = 0;
    this.#start();
    const kept = done.filter(({ result }) => result !== SKIPPED);
    return {
      calls: done.length,
      values: kept.map(({ result }) => result),
      sequence: kept.map(({ sequence }) => sequence),
      sub: kept.map(({ sub }) => sub),
    };
  }

  /** Starts no more calls, and waits for those under way. Their results are not wanted; a failure is told. */
  async abandon(): Promise<void> {
    this.#calls.splice(this.#started);
    this.#given = true;
    await this.#until(() => this.#running === 0);
    this.#given = false;
    this.#calls.length = 0;
    this.#started = 0;
    this.#inOrder = 0;
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  #start(): void {
    while (this.#running < this.#concurrency && this.#started < Math.min(this.#calls.length, this.#most)) {
      if (this.#failure !== undefined || this.#given) return;
      const call = this.#calls[this.#started++];
      if (call !== undefined) void this.#run(call);
    }
  }

  async #run(call: Call): Promise<void> {
    this.#running++;
    try {
      call.result = await this.#invoke(call.element, call.sequence, call.sub);
      call.done = true;
    } catch (error) {
      this.#failure ??= { error };
    }
    this.#running--;
    while (this.#calls[this.#inOrder]?.done === true) this.#inOrder++;
    this.#start();
    if (this.#waiter?.due() === true) this.#waiter.wake();
  }
}
