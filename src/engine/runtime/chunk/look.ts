import { types } from 'node:util';

/**
 * What columns do not show: keys that are symbols, properties that are not enumerable or have a getter, and those beside the
 * items of an array. To look for them takes longer than to send most objects, and those of one shape come from one place: a few of
 * each column are looked at, from its first to its last.
 */
const FEW = 4;

/** Whether the few that are looked at among values [from, to) are what they seem. */
export function areAll(is: (value: object) => boolean, values: readonly unknown[], from: number, to: number): boolean {
  const last = to - 1 - from;
  const looks = Math.min(FEW, last + 1);
  for (let k = 0; k < looks; k++) {
    if (!is(values[from + Math.floor((k * last) / Math.max(1, looks - 1))] as object)) return false;
  }
  return true;
}

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

/** An object that has no properties of its own. */
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

/** Longer arrays are looked at so that it takes this part of their items at most. */
const SHORT = 8;
const PART = 256;

/** Looks at some of the arrays that pass an encoder. */
export class ListLook {
  #passed = 0;
  #looked = 0;

  /** Whether none of the lists [from, to) that it looks at is more than its items, `total` of them in all. */
  areOrdinary(lists: readonly unknown[], from: number, to: number, total: number): boolean {
    this.#passed += total;
    return areAll(this.#isOrdinary, lists, from, to);
  }

  readonly #isOrdinary = (value: object): boolean => {
    const list = value as readonly unknown[];
    if (list.length <= SHORT) return isOrdinaryList(list);
    if (this.#looked * PART > this.#passed) return true;
    this.#looked += list.length;
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
