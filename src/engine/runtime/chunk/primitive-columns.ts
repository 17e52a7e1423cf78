import { isDate, timeOf } from './date.ts';
import * as layout from './layout.ts';
import { looksInt, NumberWriter, writeLists } from './numbers.ts';
import type { Scratch } from './scratch.ts';

/** Columns of values that refer to nothing. Each is false where some value is not of its kind, and has then written what is to be taken back. */
export class PrimitiveColumns {
  readonly #scratch: Scratch;
  readonly #flat = new NumberWriter();
  readonly #listed = new NumberWriter();

  constructor(scratch: Scratch) {
    this.#scratch = scratch;
  }

  constants(kind: number, constant: unknown, values: readonly unknown[], from: number, to: number): boolean {
    for (let i = from; i < to; i++) if (values[i] !== constant) return false;
    this.#scratch.head(kind, to - from);
    return true;
  }

  numbers(values: readonly unknown[], from: number, to: number): boolean {
    const scratch = this.#scratch;
    const start = scratch.used;
    if (looksInt(values, from, to)) {
      scratch.head(layout.INT32, to - from);
      const at = scratch.take((to - from) * 4) / 4;
      const stop = this.#flat.ints(values, from, to, scratch.i32, at);
      if (stop === to) return true;
      if (typeof values.at(stop) !== 'number') return false;
      scratch.used = start;
    }
    scratch.head(layout.FLOAT64, to - from);
    const at = scratch.take((to - from) * 8) / 8;
    return this.#flat.doubles(values, from, to, scratch.f64, at) === to;
  }

  /** Batches of numbers are the commonest list, and go to their column without an array of all `total` items in between. */
  numberLists(first: readonly unknown[], lists: readonly unknown[], from: number, to: number, total: number): boolean {
    const scratch = this.#scratch;
    const start = scratch.used;
    if (looksInt(first, 0, first.length)) {
      scratch.head(layout.INT32, total);
      const at = scratch.take(total * 4) / 4;
      if (writeLists(this.#listed.ints, lists, from, to, scratch.i32, at)) return true;
      scratch.used = start;
    }
    scratch.head(layout.FLOAT64, total);
    const at = scratch.take(total * 8) / 8;
    if (writeLists(this.#listed.doubles, lists, from, to, scratch.f64, at)) return true;
    scratch.used = start;
    return false;
  }

  booleans(values: readonly unknown[], from: number, to: number): boolean {
    const scratch = this.#scratch;
    scratch.head(layout.BOOLEAN, to - from);
    let at = scratch.take(to - from);
    const out = scratch.u8;
    for (let i = from; i < to; i++) {
      const value = values[i];
      if (typeof value !== 'boolean') return false;
      out[at++] = value ? 1 : 0;
    }
    return true;
  }

  /** Those beyond 64 bits make the column a cloned one. */
  bigints(values: readonly unknown[], from: number, to: number): boolean {
    const scratch = this.#scratch;
    scratch.head(layout.BIGINT64, to - from);
    let at = scratch.take((to - from) * 8) / 8;
    const out = scratch.i64;
    for (let i = from; i < to; i++) {
      const value = values[i];
      if (typeof value !== 'bigint' || BigInt.asIntN(64, value) !== value) return false;
      out[at++] = value;
    }
    return true;
  }

  /** Of dates. */
  times(values: readonly unknown[], from: number, to: number): boolean {
    const scratch = this.#scratch;
    scratch.head(layout.DATE, to - from);
    let at = scratch.take((to - from) * 8) / 8;
    const out = scratch.f64;
    for (let i = from; i < to; i++) {
      const value = values[i];
      if (typeof value !== 'object' || value === null || !isDate(value)) return false;
      out[at++] = timeOf(value);
    }
    return true;
  }
}
