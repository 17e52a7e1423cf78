import { badOption } from '../../model/option.ts';

/** V8 throws a bare RangeError for one entry more. */
const MOST_KEYS = 2 ** 24 - 1;
/** Arrays and objects in each other, from a key down. */
const DEEPEST = 16;

/**
 * Keys by value, numbered in the order of their first appearance. Numbers, texts, bigints, booleans and symbols of the registry are
 * equal as in a `Map`; dates by their time, arrays and plain objects by what is in them. Anything else would be equal to itself alone,
 * and no longer to itself once it has come from another thread: it is refused.
 */
export class KeyTable {
  readonly #simple = new Map<unknown, number>();
  readonly #composed = new Map<string, number>();
  readonly #owner: string;

  /** `owner`: who asks, for messages. */
  constructor(owner: string) {
    this.#owner = owner;
  }

  get size(): number {
    return this.#simple.size + this.#composed.size;
  }

  find(key: unknown): number | undefined {
    return isSimple(key) ? this.#simple.get(key) : this.#composed.get(this.#text(key));
  }

  /** The number of `key`: the next free one where it is new. */
  place(key: unknown): number {
    if (isSimple(key)) return placed(this.#simple, key, this.size, this.#owner);
    return placed(this.#composed, this.#text(key), this.size, this.#owner);
  }

  #text(key: unknown): string {
    return keyText(key, this.#owner, 0);
  }
}

function placed<K>(numbers: Map<K, number>, key: K, next: number, owner: string): number {
  const known = numbers.get(key);
  if (known !== undefined) return known;
  if (numbers.size >= MOST_KEYS) {
    throw badOption(
      `${owner} has more than ${MOST_KEYS} different keys`,
      'divide the elements first, by a filter or a shard over their keys, and run each share by itself',
    );
  }
  numbers.set(key, next);
  return next;
}

/** Null, undefined, and whatever has one of them in it: unknown values, which a join takes for equal to nothing. */
export function isUnknown(key: unknown, depth = 0): boolean {
  if (key === undefined || key === null) return true;
  if (typeof key !== 'object' || key instanceof Date) return false;
  // What is deeper, or without end, cannot be a key.
  return depth < DEEPEST && Object.values(key).some(item => isUnknown(item, depth + 1));
}

const isSimple = (key: unknown): boolean =>
  (typeof key !== 'object' || key === null) &&
  typeof key !== 'function' &&
  (typeof key !== 'symbol' || Symbol.keyFor(key) !== undefined);

/** A text that two keys share exactly where they are equal. */
function keyText(key: unknown, owner: string, depth: number): string {
  switch (typeof key) {
    case 'string':
      return `s${key.length}:${key}`;
    case 'number':
      return `n${key === 0 ? 0 : key};`;
    case 'bigint':
      return `i${key};`;
    case 'boolean':
      return key ? 't' : 'f';
    case 'undefined':
      return 'u';
    case 'symbol': {
      const name = Symbol.keyFor(key);
      if (name === undefined) throw notAKey(key, owner);
      return `y${name.length}:${name}`;
    }
    default:
      return key === null ? 'l' : objectText(key as object, owner, depth);
  }
}

function objectText(key: object, owner: string, depth: number): string {
  if (key instanceof Date) return `d${key.getTime()};`;
  const prototype: unknown = Object.getPrototypeOf(key);
  if (depth >= DEEPEST || typeof key === 'function') throw notAKey(key, owner);
  if (Array.isArray(key)) return `[${Array.from(key, item => keyText(item, owner, depth + 1)).join('')}]`;
  if (prototype !== Object.prototype && prototype !== null) throw notAKey(key, owner);
  const entries = Object.entries(key).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([name, value]) => keyText(name, owner, 0) + keyText(value, owner, depth + 1)).join('')}}`;
}

const className = (key: unknown): string =>
  `what is of class ${(key as { readonly constructor?: { readonly name?: unknown } }).constructor?.name ?? 'none'}`;

function notAKey(key: unknown, owner: string): Error {
  const what = typeof key === 'symbol' || typeof key === 'function' ? `a ${typeof key}` : className(key);
  return badOption(
    `${owner}: ${what} cannot be a key`,
    'give a number, a text, a bigint, a boolean or a date, or an array or plain object of them',
  );
}
