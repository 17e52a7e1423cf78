import { types } from 'node:util';
import { isEmpty, isOrdinary, isOrdinaryView, type Look } from './look.ts';
import { viewCodeOf } from './view.ts';

/** The first objects and some others are searched for what V8 leaves out; all would take as long as to copy them. */
const FIRST = 16;
const EVERY = 32;
/** Values per element that are gone through without regard to whether they come again. */
const MANY = 64;

/** Whether V8's copy of the values would be equal to them: classes, own properties and all. Without recursion, for they may be deep. */
export function isFaithful(values: readonly unknown[], look: Look): boolean {
  return new Walk(values, look, undefined).isFaithful() ?? new Walk(values, look, new Set()).isFaithful() ?? false;
}

class Walk {
  readonly #open: unknown[];
  /** Objects that it has come by; undefined: it does not keep them in mind. */
  readonly #passed: Set<object> | undefined;
  readonly #look: Look;
  #left: number;
  #objects = 0;

  constructor(values: readonly unknown[], look: Look, passed: Set<object> | undefined) {
    this.#look = look;
    this.#open = [...values];
    this.#passed = passed;
    this.#left = passed === undefined ? MANY * (MANY + values.length) : Number.POSITIVE_INFINITY;
  }

  /** Undefined: it may be going in circles. */
  isFaithful(): boolean | undefined {
    while (this.#open.length > 0) {
      if (this.#left-- === 0) return undefined;
      const value = this.#open.pop();
      if (typeof value === 'symbol' || typeof value === 'function') return false;
      if (typeof value !== 'object' || value === null || this.#passed?.has(value) === true) continue;
      this.#passed?.add(value);
      this.#objects++;
      if (!this.#enter(value)) return false;
    }
    return true;
  }

  /** Where it looks, `value` is as it is said to be. */
  #isSeen(is: (value: object) => boolean, value: object): boolean {
    const looks = this.#look.isStrict || this.#objects <= FIRST || this.#objects % EVERY === 0;
    return !looks || this.#look.isSeen(is, value);
  }

  /** What is in `value` comes next. */
  #enter(value: object): boolean {
    switch (Object.getPrototypeOf(value)) {
      case Object.prototype:
        for (const key in value) this.#open.push((value as Record<string, unknown>)[key]);
        return this.#isSeen(isOrdinary, value);
      case Array.prototype:
        return Array.isArray(value) && this.#enterList(value);
      case Map.prototype:
        if (!types.isMap(value)) return false;
        for (const [key, item] of value) this.#open.push(key, item);
        return this.#isSeen(isEmpty, value);
      case Set.prototype:
        if (!types.isSet(value)) return false;
        for (const item of value) this.#open.push(item);
        return this.#isSeen(isEmpty, value);
      case Date.prototype:
        return types.isDate(value) && isEmpty(value);
      case Number.prototype:
      case Boolean.prototype:
      case BigInt.prototype:
        return types.isBoxedPrimitive(value) && isEmpty(value);
      default:
        return viewCodeOf(value) >= 0 && isOrdinaryView(value);
    }
  }

  #enterList(list: readonly unknown[]): boolean {
    // Items that are missing are no values.
    for (const item of list) if (item !== undefined) this.#open.push(item);
    return this.#look.areLists([list], 0, 1, list.length);
  }
}

/** Whether values that V8 copies have nothing within them. */
export function areLeaves(values: readonly unknown[], from: number, to: number): boolean {
  for (let i = from; i < to; i++) {
    const value = values[i];
    if (typeof value === 'object' && value !== null && Object.getPrototypeOf(value) !== Date.prototype) return false;
  }
  return true;
}
