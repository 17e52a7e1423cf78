import type { Inner } from './inner.ts';

const MOST_AT_ONCE = 1024;
/** A read that keeps the thread longer than this is long enough. */
const LONG_READ_MS = 0.5;

/** What opened the pipeline in a slot, where that begins, and how much of it has been handed on since. */
export interface SavedSlot {
  readonly element: unknown;
  readonly number: number;
  readonly from: unknown;
  readonly taken: number;
}

/** A slot of the cycle: one inner pipeline at a time, and what was read of it and not yet handed on. */
export class CycleSlot {
  #inner: Inner | undefined;
  #elements: readonly unknown[] = [];
  #at = 0;
  /** The inner pipeline has no more. */
  #over = false;
  /** A read under way. Its failure is told to whoever waits for it. */
  #pending: Promise<void> | undefined;
  #limit = 1;
  #opener: { readonly element: unknown; readonly number: number } | undefined;
  /** Where what is at hand begins, if the pipeline can tell, and how much has been handed on since. */
  #from: unknown;
  #taken = 0;
  /** Elements still to come that had been handed on when the run was saved. */
  #had = 0;

  readonly #resumable: boolean;

  constructor(resumable: boolean) {
    this.#resumable = resumable;
  }

  get empty(): boolean {
    return this.#inner === undefined;
  }

  get available(): number {
    return this.#elements.length - this.#at;
  }

  /** Reads it from now on. What takes time without taking this thread's is under way before it is needed. */
  occupy(inner: Inner, { element, number, from, taken }: SavedSlot): void {
    this.#inner = inner;
    this.#from = from;
    this.#opener = { element, number };
    this.#taken = taken;
    this.#had = taken;
    this.#over = false;
    this.#limit = 1;
    this.#request();
  }

  /** Sees to it that an element is at hand, or that the slot is free. */
  fill(): void | Promise<void> {
    while (this.available === 0 && this.#inner !== undefined) {
      if (this.#over) return this.clear();
      this.#request();
      if (this.#pending !== undefined) return this.#pending.then(() => this.fill());
    }
    return undefined;
  }

  take(into: unknown[], most: number): number {
    const count = Math.min(most, this.available);
    for (let taken = 0; taken < count; taken++) into.push(this.#elements[this.#at++]);
    this.#taken += count;
    return count;
  }

  #request(): void {
    if (this.#inner === undefined || this.#pending !== undefined) return;
    if (this.#resumable && this.#had === 0) this.#mark(this.#inner);
    const began = performance.now();
    const inner = this.#inner;
    const read = inner.read(this.#limit);
    if (read instanceof Promise) {
      // Nobody wants what was read of a pipeline that has left the slot.
      this.#pending = read.then(elements => (this.#inner === inner ? this.#arrived(elements) : undefined));
      this.#pending.catch(() => undefined);
    } else {
      this.#arrived(read);
    }
    // Of large elements there are few at hand at a time.
    if (performance.now() - began < LONG_READ_MS) this.#limit = Math.min(MOST_AT_ONCE, 2 * this.#limit);
  }

  /** Everything before what is read next has been handed on. */
  #mark(inner: Inner): void {
    const from = inner.position();
    if (from === undefined) return;
    this.#from = from;
    this.#taken = 0;
  }

  #arrived(elements: readonly unknown[]): void {
    this.#pending = undefined;
    this.#over = elements.length === 0;
    this.#elements = elements;
    this.#at = Math.min(elements.length, this.#had);
    this.#had -= this.#at;
  }

  save(): SavedSlot | undefined {
    return this.#inner === undefined || this.#opener === undefined
      ? undefined
      : { ...this.#opener, from: this.#from, taken: this.#taken };
  }

  clear(): void | Promise<void> {
    const inner = this.#inner;
    const pending = this.#pending;
    this.#inner = undefined;
    this.#pending = undefined;
    this.#elements = [];
    this.#at = 0;
    if (pending === undefined) return inner?.close();
    // What is being read is not closed under the reader's feet.
    return pending.catch(() => undefined).then(() => inner?.close());
  }
}
