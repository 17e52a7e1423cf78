import { types } from 'node:util';

/** A plain object of nothing but data under enumerable strings. */
export function isOrdinary(value: object): boolean {
  if (types.isProxy(value) || Object.getOwnPropertySymbols(value).length > 0) return false;
  const keys = Object.keys(value);
  if (Object.getOwnPropertyNames(value).length !== keys.length) return false;
  for (const key of keys) {
    const own = Object.getOwnPropertyDescriptor(value, key);
    if (own === undefined || own.get !== undefined || own.set !== undefined) return false;
  }
  // What V8 copies as what it is, whatever its prototype says.
  return Object.prototype.toString.call(value) === '[object Object]' && !types.isMap(value) && !types.isSet(value);
}

export const isEmpty = (value: object): boolean => Reflect.ownKeys(value).length === 0;

export const FEW_NUMBERS = 64;

/** Of a typed array; they are keys of its own. */
export const numbersIn = (value: object): number =>
  ArrayBuffer.isView(value) && !(value instanceof DataView) ? (value as Uint8Array).length : 0;

/** A holder of bytes with nothing beside them. A long one is not searched: it would take longer than to copy it. */
export function isOrdinaryView(value: object): boolean {
  const numbers = numbersIn(value);
  return numbers > FEW_NUMBERS || Reflect.ownKeys(value).length === numbers;
}

/** Values of a column that are looked at. */
const FEW = 8;
/** Longer arrays are looked at so that it takes this part of their items at most. */
const SHORT = 8;
const PART = 256;

/**
 * Looks for what columns do not show: keys that are symbols, properties that are not enumerable or have a getter, and those beside the
 * items of an array. That takes longer than to send most objects, and those of one shape come from one place: a few of each column are
 * looked at, from its first to its last; all of them once something was found.
 */
export class Look {
  isStrict = false;
  #passed = 0;
  #looked = 0;

  /** Whether those that are looked at among values [from, to) are what they seem. */
  areAll(is: (value: object) => boolean, values: readonly unknown[], from: number, to: number): boolean {
    const last = to - 1 - from;
    const looks = this.isStrict ? last + 1 : Math.min(FEW, last + 1);
    for (let k = 0; k < looks; k++) {
      const at = from + Math.floor((k * last) / Math.max(1, looks - 1));
      if (!this.isSeen(is, values[at] as object)) return false;
    }
    return true;
  }

  /** The same for one value. */
  isSeen(is: (value: object) => boolean, value: object): boolean {
    if (is(value)) return true;
    this.isStrict = true;
    return false;
  }

  /** Whether none of the lists [from, to) that it looks at is more than its items, `total` of them in all. */
  areLists(lists: readonly unknown[], from: number, to: number, total: number): boolean {
    this.#passed += total;
    return this.areAll(to - from <= FEW || this.isStrict ? this.#isOrdinary : this.#hasItemsOnly, lists, from, to);
  }

  /** Also by what is not enumerable, and getters among the items, unless it is long. */
  readonly #isOrdinary = (value: object): boolean => {
    const list = value as readonly unknown[];
    return list.length <= SHORT ? isOrdinaryList(list) : this.#hasItemsOnly(list);
  };

  readonly #hasItemsOnly = (value: object): boolean => {
    const list = value as readonly unknown[];
    if (list.length > SHORT && !this.isStrict && this.#looked * PART > this.#passed) return true;
    if (list.length > SHORT) this.#looked += list.length;
    return Object.keys(list).length === list.length && Object.getOwnPropertySymbols(list).length === 0;
  };
}

/** Some items may be missing. */
function isOrdinaryList(list: readonly unknown[]): boolean {
  if (types.isProxy(list)) return false;
  for (const key of Reflect.ownKeys(list)) {
    if (key === 'length') continue;
    const own = Object.getOwnPropertyDescriptor(list, key);
    if (typeof key === 'symbol' || own === undefined || !('value' in own)) return false;
    if (!(Number(key) < list.length) || String(Number(key)) !== key) return false;
  }
  return true;
}
