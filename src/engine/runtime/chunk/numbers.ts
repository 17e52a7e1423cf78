import { generate } from '../../compile/generated.ts';
import { packedDoubles, packedInts } from './packed.ts';

/** Writes numbers and returns the position of the first value that is not of the column's kind, or `to`. */
type Write<Out> = (values: readonly unknown[], from: number, to: number, out: Out, at: number) => number;
type Read<In> = (from: In, at: number, count: number) => number[];

function generateWrite<Out>(misfit: (value: string) => string): Write<Out> {
  return generate(`function write(values, from, to, out, at) {
    const shift = at - from;
    for (let i = from; i < to; i++) {
      const value = values[i];
      if (${misfit('value')}) return i;
      out[shift + i] = value;
    }
    return to;
  }`);
}

/** Four at a time: V8 looks at both arrays anew in every turn of a loop, and that costs more than the copying. */
function generateRead<In>(packed: (count: number) => number[]): Read<In> {
  return generate(
    `function read(from, at, count) {
      const out = packed(count);
      let i = 0;
      for (; i + 4 <= count; i += 4) {
        out[i] = from[at + i];
        out[i + 1] = from[at + i + 1];
        out[i + 2] = from[at + i + 2];
        out[i + 3] = from[at + i + 3];
      }
      for (; i < count; i++) out[i] = from[at + i];
      return out;
    }`,
    { packed },
  );
}

/**
 * A look at three values tells most columns of integers from those of fractions. It is worth it beyond the time of a failed
 * attempt: a place that meets both kinds of array is no longer fast for either. at() rather than [] for the same reason.
 */
export function looksInt(values: readonly unknown[], from: number, to: number): boolean {
  return isInt(values.at(from)) && isInt(values.at((from + to) >>> 1)) && isInt(values.at(to - 1));
}

/** -0 equals 0 | 0, yet is another number. */
export function isInt(value: unknown): value is number {
  return typeof value === 'number' && (value | 0) === value && !Object.is(value, -0);
}

/** One for each kind of place that numbers come from; code is generated on first use. */
export class NumberWriter {
  #ints: Write<Int32Array> | undefined;
  #doubles: Write<Float64Array> | undefined;

  get ints(): Write<Int32Array> {
    this.#ints ??= generateWrite(v => `typeof ${v} !== 'number' || (${v} | 0) !== ${v} || Object.is(${v}, -0)`);
    return this.#ints;
  }

  get doubles(): Write<Float64Array> {
    this.#doubles ??= generateWrite(v => `typeof ${v} !== 'number'`);
    return this.#doubles;
  }
}

export const readInts = generateRead<Int32Array>(packedInts);
export const readDoubles = generateRead<Float64Array>(packedDoubles);

/** Reads lists of numbers that stand one behind the other. */
export function readLists<In>(
  read: Read<In>,
  from: In,
  at: number,
  lengths: Uint32Array,
  first: number,
  out: unknown[],
): void {
  for (let i = 0; i < out.length; i++) {
    const length = lengths[first + i] as number;
    out[i] = read(from, at, length);
    at += length;
  }
}

/** Writes lists of numbers one behind the other; false when some item does not fit. */
export function writeLists<Out>(
  write: Write<Out>,
  lists: readonly unknown[],
  from: number,
  to: number,
  out: Out,
  at: number,
): boolean {
  for (let i = from; i < to; i++) {
    const list = lists[i] as readonly unknown[];
    if (write(list, 0, list.length, out, at) < list.length) return false;
    at += list.length;
  }
  return true;
}
