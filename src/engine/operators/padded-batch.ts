import { types } from 'node:util';
import { VenturiError } from '../../model/errors.ts';
import { batch } from './batch.ts';
import type { OperatorKind } from './kind.ts';
import { inWords } from './stack-form.ts';

/** Rows of numbers brought to one length, ready for a tensor. */
export interface PaddedBatch {
  /** Row after row. */
  readonly data: Int32Array | Float64Array | Float32Array | Uint8Array;
  readonly rows: number;
  readonly columns: number;
  /** What each row had before it was padded. */
  readonly lengths: Int32Array;
}

export type Row = readonly number[] | Int32Array | Float64Array | Float32Array | Uint8Array;

/** A batch whose rows are padded by its built-in function. */
export const paddedBatch: OperatorKind = {
  ...batch,
  kind: 'paddedBatch',
  work: 'own',
  element(code) {
    batch.element({ ...code, hand: (whole, ...identity) => code.hand(`call${code.at}(${whole})`, ...identity) });
  },
  flush(code) {
    batch.flush?.({ ...code, hand: (rest, ...identity) => code.hand(`call${code.at}(${rest})`, ...identity) });
  },
};

/**
 * Pads to the longest row of the batch, or to `columns`. Typed rows keep their type, which arrays among them take on; arrays of integers alone become
 * int32.
 */
export const padRows =
  (pad: number, columns: number | undefined) =>
  (rows: readonly Row[]): PaddedBatch => {
    const type = typeOf(rows, pad);
    let longest = 0;
    for (const row of rows) longest = Math.max(longest, row.length);
    const width = columns ?? longest;
    if (longest > width) {
      throw new VenturiError('VENTURI_BAD_RECORD', `a row of ${longest} does not fit into ${width} columns`, {
        remedy: 'cut the rows before the batch, or allow more columns',
      });
    }
    const data = new type(rows.length * width);
    const lengths = new Int32Array(rows.length);
    // New arrays are full of zeros.
    if (pad !== 0) data.fill(pad);
    for (let at = 0; at < rows.length; at++) {
      const row = rows[at] as Row;
      data.set(row, at * width);
      lengths[at] = row.length;
    }
    return { data, rows: rows.length, columns: width, lengths };
  };

type Data = PaddedBatch['data'];

/** Types that rows keep. */
const KEPT: readonly (new (length: number) => Data)[] = [Float32Array, Float64Array, Uint8Array, Int32Array];

/** What holds all these rows and `pad`. They come from functions, which may return anything. */
function typeOf(rows: readonly unknown[], pad: number): new (length: number) => Data {
  const typed = rows.find(row => types.isTypedArray(row));
  const name = typed?.[Symbol.toStringTag];
  for (const row of rows) checkRow(row, name);
  const kept = KEPT.find(type => typed instanceof type);
  if (kept !== undefined) {
    if (!(typed instanceof Float32Array || typed instanceof Float64Array)) checkRoom(rows, pad, new kept(1));
    return kept;
  }
  const isWhole = (value: number): boolean => (value | 0) === value;
  return isWhole(pad) && rows.every(row => Array.prototype.every.call(row, isWhole)) ? Int32Array : Float64Array;
}

/** Throws unless it is numbers, in an array of theirs called `name` where there is one. */
function checkRow(row: unknown, name: string | undefined): void {
  if (types.isTypedArray(row)) {
    const own = row[Symbol.toStringTag];
    if (own !== name) throw unfit(`${own}, where other rows of its batch are ${name}`);
    if (types.isBigInt64Array(row) || types.isBigUint64Array(row)) throw unfit(`${own}`);
    return;
  }
  if (!Array.isArray(row)) throw unfit(inWords(row));
  for (let at = 0; at < row.length; at++) {
    if (typeof row[at] !== 'number') throw unfit(`an array whose '[${at}]' is ${inWords(row[at])}`);
  }
}

/** Throws where a number of an array, or the padding, would be another one among whole numbers of a type: that of `trial`, which has one. */
function checkRoom(rows: readonly unknown[], pad: number, trial: Data): void {
  const isKept = (value: number): boolean => {
    trial[0] = value;
    return trial[0] === value;
  };
  const where = trial[Symbol.toStringTag];
  if (!isKept(pad)) throw unfit(`padded with ${pad}, for which ${where} has no room`);
  for (const row of rows) {
    const lost = Array.isArray(row) ? row.findIndex(value => !isKept(value)) : -1;
    if (lost >= 0) throw unfit(`an array with ${(row as number[])[lost]}, for which ${where} has no room`);
  }
}

const unfit = (what: string): VenturiError =>
  new VenturiError('VENTURI_BAD_RECORD', `a row is ${what}`, {
    remedy:
      'give rows of numbers before: arrays, or typed arrays of one type but of bigints, and a pad that they can hold; or take batch(), which makes arrays of anything, or stack() for tensors of one shape',
  });
