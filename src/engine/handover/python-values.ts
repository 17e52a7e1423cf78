import { Unpackable } from './unpackable.ts';

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

const MOST_SAFE = BigInt(Number.MAX_SAFE_INTEGER);

/** Large ones with digits in sixteens: of those in tens Python reads no more than 4300. */
export function integerText(value: bigint): string {
  const size = value < 0n ? -value : value;
  return size <= MOST_SAFE ? `${value}` : `${value < 0n ? '-' : ''}0x${size.toString(16)}`;
}

/** The milliseconds between which datetime of Python has words: years 1 to 9999. */
const [FIRST_MS, LAST_MS] = [Date.parse('0001-01-01T00:00:00.000Z'), Date.parse('9999-12-31T23:59:59.999Z')];

export function packDate(date: Date): Json {
  const ms = date.getTime();
  if (ms < FIRST_MS || ms > LAST_MS) throw new Unpackable('a date outside of the years 1 to 9999');
  return { $: 'date', ms };
}

/** Refuses keys that Python does not take, or takes for one: its dicts and sets would lose some of them without a word. */
export function checkKeys(what: string, keys: readonly Json[]): void {
  const seen = new Set<string>();
  for (const key of keys) {
    if (isTensor(key)) continue;
    const text = keyText(key);
    if (text === undefined) throw new Unpackable(`${what} of objects or arrays`);
    if (seen.has(text)) throw new Unpackable(`${what} with two items that are one to Python (${text})`);
    seen.add(text);
  }
}

/** Tensors are keys by what they are, not by what they hold. */
const isTensor = (key: Json): boolean => typeof key === 'object' && key !== null && '$' in key && key.$ === 'tensor';

/** The same for keys that Python takes for one: 1, 1n and true; null and undefined. Undefined for what is no key there. */
function keyText(key: Json): string | undefined {
  if (typeof key === 'string') return JSON.stringify(key);
  if (typeof key === 'number' || typeof key === 'boolean') return numberText(Number(key));
  if (key === null) return 'None';
  if (!('$' in key)) return undefined;
  if (key.$ === 'float') return numberText(Number(key.text));
  if (key.$ === 'int') return `${key.text}`;
  if (key.$ === 'date') return key.ms === null ? 'None' : `the date ${key.ms}`;
  return undefined;
}

const numberText = (value: number): string => (Number.isInteger(value) ? integerText(BigInt(value)) : `${value}`);
