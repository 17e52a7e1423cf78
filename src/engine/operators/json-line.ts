import { types } from 'node:util';

/** What JSON makes `{}` of, though there is something in it. */
const EMPTIED: readonly (readonly [string, (value: unknown) => boolean, string])[] = [
  ['a Map', types.isMap, 'Object.fromEntries(map) or [...map]'],
  ['a Set', types.isSet, '[...set]'],
  ['an Error', types.isNativeError, 'its message'],
  ['a RegExp', types.isRegExp, 'its source'],
  ['a promise', types.isPromise, 'what it gives, awaited,'],
  ['an ArrayBuffer', types.isAnyArrayBuffer, 'base64: Buffer.from(bytes).toString("base64")'],
];

/** Something that JSON would lose, and where in the element it is. */
interface Lost {
  readonly path: string;
  readonly value: unknown;
}

/** Elements as lines of JSON. What JSON would drop of them without a word is refused; numbers that become null are told. */
export class JsonLines {
  #nulled: string | undefined;

  readonly line = (element: unknown): string => {
    const text = this.#text(element);
    if (text === undefined) throw new TypeError(`${typeof element} has no form in JSON`);
    // Few elements have either: the others are not looked at.
    if (text.includes('{}')) this.#refuseEmptied(element);
    if (this.#nulled === undefined && text.includes('null')) {
      const lost = find(element, isNulled);
      if (lost !== undefined) this.#nulled = `${subject(lost.path)} was ${String(lost.value)}`;
    }
    return text;
  };

  get warnings(): readonly string[] {
    if (this.#nulled === undefined) return [];
    return [
      `writeJsonl wrote null for numbers that JSON does not know, NaN or Infinity; in the first, ${this.#nulled}.`,
    ];
  }

  #text(element: unknown): string | undefined {
    try {
      return JSON.stringify(element);
    } catch (error) {
      const big = find(element, value => typeof value === 'bigint');
      if (big === undefined) throw error;
      throw new TypeError(
        `${subject(big.path)} is a bigint, which JSON does not know: make a string of it, or a number where that is exact`,
      );
    }
  }

  #refuseEmptied(element: unknown): void {
    const lost = find(element, value => EMPTIED.some(([, is]) => is(value)));
    const [name, , instead] = EMPTIED.find(([, is]) => is(lost?.value)) ?? [];
    if (lost === undefined || name === undefined) return;
    throw new TypeError(`${subject(lost.path)} is ${name}, of which JSON keeps nothing: write ${instead} instead`);
  }
}

const subject = (path: string): string => (path === '' ? 'the element' : `'${path}'`);

const isNulled = (value: unknown): boolean => typeof value === 'number' && !Number.isFinite(value);

/** The first value for which `is` holds, as JSON goes through an element. One that says itself how it is written is left alone. */
function find(
  value: unknown,
  is: (value: unknown) => boolean,
  path = '',
  within: readonly unknown[] = [],
): Lost | undefined {
  if (typeof value === 'object' && value !== null && 'toJSON' in value && typeof value.toJSON === 'function') {
    return undefined;
  }
  if (is(value)) return { path, value };
  if (typeof value !== 'object' || value === null || within.includes(value)) return undefined;
  const inside = [...within, value];
  for (const [key, part] of Object.entries(value)) {
    const name = Array.isArray(value) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;
    const found = find(part, is, name, inside);
    if (found !== undefined) return found;
  }
  return undefined;
}
