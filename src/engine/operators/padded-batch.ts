import { VenturiError } from '../../model/errors.ts';
import { batch } from './batch.ts';
import type { OperatorKind } from './kind.ts';

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

/** Pads to the longest row of the batch, or to `columns`. Typed rows keep their type; arrays of integers become int32. */
export const padRows =
  (pad: number, columns: number | undefined) =>
  (rows: readonly Row[]): PaddedBatch => {
    let longest = 0;
    for (const row of rows) longest = Math.max(longest, row.length);
    const width = columns ?? longest;
    if (longest > width) {
      throw new VenturiError('VENTURI_BAD_RECORD', `a row of ${longest} does not fit into ${width} columns`, {
        remedy: 'cut the rows before the batch, or allow more columns',
      });
    }
    const data = newData(rows, rows.length * width, pad);
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

function newData(rows: readonly Row[], length: number, pad: number): PaddedBatch['data'] {
  const first = rows[0];
  if (first instanceof Float32Array) return new Float32Array(length);
  if (first instanceof Float64Array) return new Float64Array(length);
  if (first instanceof Uint8Array) return new Uint8Array(length);
  if (first instanceof Int32Array) return new Int32Array(length);
  const whole = (row: Row): boolean => Array.prototype.every.call(row, value => (value | 0) === value);
  return (pad | 0) === pad && rows.every(whole) ? new Int32Array(length) : new Float64Array(length);
}
