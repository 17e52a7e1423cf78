import { Decimal } from './decimal.ts';
import { CHAR, endOfString, endOfValue, INCOMPLETE, isText, MalformedJson, skipSpace } from './json-bytes.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Members of an event that are looked at. */
const MEMBERS = ['ph', 'cat', 'name', 'pid', 'tid', 'ts', 'dur', 'args'] as const;
type Member = (typeof MEMBERS)[number];

interface Key {
  readonly bytes: Uint8Array;
  readonly slot: number;
}

/** Keys by their length, then as they are. */
class Keys {
  readonly #byLength: Key[][] = [];

  constructor(names: readonly string[]) {
    for (const [slot, name] of names.entries()) {
      const bytes = encoder.encode(name);
      const sameLength = this.#byLength[bytes.length] ?? [];
      sameLength.push({ bytes, slot });
      this.#byLength[bytes.length] = sameLength;
    }
  }

  /** Which of them stands in these bytes; -1 where none does. */
  find(bytes: Uint8Array, start: number, end: number): number {
    const candidates = this.#byLength[end - start];
    if (candidates === undefined) return -1;
    for (const { bytes: key, slot } of candidates) if (isText(bytes, start, end, key)) return slot;
    return -1;
  }
}

const MEMBER_KEYS = new Keys(MEMBERS);
const ARGS = MEMBERS.indexOf('args');

/** Where values stand in the bytes: start and end by slot, without the quotes of a string. */
class Places {
  readonly #places: Int32Array;

  constructor(slots: number) {
    this.#places = new Int32Array(2 * slots);
  }

  clear(): void {
    this.#places.fill(-1);
  }

  set(slot: number, start: number, end: number): void {
    this.#places[2 * slot] = start;
    this.#places[2 * slot + 1] = end;
  }

  start(slot: number): number {
    return this.#places[2 * slot] as number;
  }

  end(slot: number): number {
    return this.#places[2 * slot + 1] as number;
  }
}

/**
 * One event of a Chrome trace at a time, read from bytes without making strings. Which arguments are looked at is said when it is made; the
 * methods speak of the event that was parsed last.
 */
export class EventParser<Argument extends string> {
  bytes: Uint8Array = new Uint8Array(0);
  readonly #arguments: readonly Argument[];
  readonly #argumentKeys: Keys;
  readonly #members = new Places(MEMBERS.length);
  readonly #values: Places;
  readonly #decimal = new Decimal();

  constructor(args: readonly Argument[]) {
    this.#arguments = args;
    this.#argumentKeys = new Keys(args);
    this.#values = new Places(args.length);
  }

  /** Reads the object at `at` and returns the position behind it, or INCOMPLETE. */
  parse(at: number): number {
    this.#members.clear();
    this.#values.clear();
    return this.#object(at, false);
  }

  /** Byte of a member that is a string of one character; 0 where it is none. */
  phase(): number {
    const [start, end] = this.#member('ph');
    return end - start === 1 ? (this.bytes[start] as number) : 0;
  }

  /** Start and end of a member in `bytes`; both -1 where it is absent. */
  place(member: 'cat' | 'name' | 'pid' | 'tid'): readonly [start: number, end: number] {
    return this.#member(member);
  }

  /** A moment or a duration; undefined where it is absent or no number. */
  time(member: 'ts' | 'dur'): Decimal | undefined {
    const [start, end] = this.#member(member);
    return start >= 0 && this.#decimal.read(this.bytes, start, end) ? this.#decimal : undefined;
  }

  /** An argument as a number; NaN where it is absent or none. */
  number(argument: Argument): number {
    const slot = this.#arguments.indexOf(argument);
    const start = this.#values.start(slot);
    if (start < 0) return Number.NaN;
    const end = this.#values.end(slot);
    let value = 0;
    for (let at = start; at < end; at++) {
      const digit = (this.bytes[at] as number) - CHAR.zero;
      if (digit < 0 || digit > 9) return this.#anyNumber(start, end);
      value = 10 * value + digit;
    }
    return end > start ? value : Number.NaN;
  }

  /** An argument as text, a list or an object as its JSON; undefined where it is absent. */
  text(argument: Argument): string | undefined {
    const slot = this.#arguments.indexOf(argument);
    const start = this.#values.start(slot);
    return start < 0 ? undefined : decodeText(this.bytes, start, this.#values.end(slot));
  }

  #member(member: Member): readonly [number, number] {
    const slot = MEMBERS.indexOf(member);
    return [this.#members.start(slot), this.#members.end(slot)];
  }

  #anyNumber(start: number, end: number): number {
    const text = decoder.decode(this.bytes.subarray(start, Math.min(end, start + 64)));
    return text.trim() === '' ? Number.NaN : Number(text);
  }

  /** Members of the event itself, or of its `args`. */
  #object(at: number, isArgs: boolean): number {
    const { bytes } = this;
    const keys = isArgs ? this.#argumentKeys : MEMBER_KEYS;
    const places = isArgs ? this.#values : this.#members;
    let position = skipSpace(bytes, at + 1);
    if (position !== INCOMPLETE && bytes[position] === CHAR.closeBrace) return position + 1;
    while (position !== INCOMPLETE) {
      if (bytes[position] !== CHAR.quote) throw new MalformedJson(position, 'the name of a member is missing');
      const keyEnd = endOfString(bytes, position);
      if (keyEnd === INCOMPLETE) return INCOMPLETE;
      const slot = keys.find(bytes, position + 1, keyEnd);
      const colon = skipSpace(bytes, keyEnd + 1);
      if (colon === INCOMPLETE) return INCOMPLETE;
      if (bytes[colon] !== CHAR.colon) throw new MalformedJson(colon, 'a colon is missing');
      const start = skipSpace(bytes, colon + 1);
      if (start === INCOMPLETE) return INCOMPLETE;
      const isInner = !isArgs && slot === ARGS && bytes[start] === CHAR.openBrace;
      const end = isInner ? this.#object(start, true) : endOfValue(bytes, start);
      if (end === INCOMPLETE) return INCOMPLETE;
      if (slot >= 0) {
        const isString = bytes[start] === CHAR.quote;
        places.set(slot, isString ? start + 1 : start, isString ? end - 1 : end);
      }
      position = skipSpace(bytes, end);
      if (position === INCOMPLETE) return INCOMPLETE;
      if (bytes[position] === CHAR.closeBrace) return position + 1;
      if (bytes[position] !== CHAR.comma) throw new MalformedJson(position, 'a comma is missing');
      position = skipSpace(bytes, position + 1);
    }
    return INCOMPLETE;
  }
}

/** Text between quotes, its escapes undone where it has any. */
export function decodeText(bytes: Uint8Array, start: number, end: number): string {
  const text = decoder.decode(bytes.subarray(start, end));
  if (!text.includes('\\')) return text;
  try {
    return String(JSON.parse(`"${text}"`));
  } catch {
    return text;
  }
}
