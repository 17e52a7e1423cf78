import type { Column, NumberArray } from '../table.ts';

export interface Range {
  readonly low: number;
  readonly high: number;
}

/** Largest bitmap by which uniqueness is looked for, in bits: 8 MB. Keys spread wider are not taken for unique unless they ascend. */
const BITMAP_BITS = 2 ** 26;

const ranges = new WeakMap<NumberArray, Range>();
const uniques = new WeakMap<NumberArray, boolean>();

const isNumbers = (data: Column['data']): data is NumberArray => !Array.isArray(data);

/** Least and greatest number of a column; undefined where it has none. Counted once for each array. */
export function rangeOf({ data }: Column): Range | undefined {
  if (!isNumbers(data) || data.length === 0) return undefined;
  const known = ranges.get(data);
  if (known !== undefined) return known;
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of data) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  const range = { low, high };
  ranges.set(data, range);
  return range;
}

/** Whether no two rows are known to have the same values in all of `columns`. False where finding out would take more than a pass and a bitmap. */
export function areUnique(columns: readonly Column[]): boolean {
  if (columns.some(({ nulls }) => nulls !== undefined)) return false;
  return columns.some(isUnique) || (columns.length > 1 && hasNoTwin(columns));
}

function isUnique(column: Column): boolean {
  const { data } = column;
  if (!isNumbers(data)) return false;
  const known = uniques.get(data);
  if (known !== undefined) return known;
  const unique = ascends(data) || hasNoTwin([column]);
  uniques.set(data, unique);
  return unique;
}

function ascends(data: NumberArray): boolean {
  for (let row = 1; row < data.length; row++) if (!(Number(data[row - 1]) < Number(data[row]))) return false;
  return true;
}

/** Marks the combined place of every row's values in a bitmap. */
function hasNoTwin(columns: readonly Column[]): boolean {
  let size = 1;
  const parts: { readonly data: NumberArray; readonly low: number; readonly width: number }[] = [];
  for (const column of columns) {
    const range = rangeOf(column);
    const { data } = column;
    if (range === undefined || !isNumbers(data) || !isWhole(data)) return false;
    const width = range.high - range.low + 1;
    size *= width;
    parts.push({ data, low: range.low, width });
  }
  if (!(size <= BITMAP_BITS)) return false;
  const rows = parts[0]?.data.length ?? 0;
  if (rows > size) return false;
  const seen = new Uint8Array(Math.ceil(size / 8));
  for (let row = 0; row < rows; row++) {
    let place = 0;
    for (const { data, low, width } of parts) place = place * width + (Number(data[row]) - low);
    const bit = 1 << (place & 7);
    const byte = seen[place >> 3] ?? 0;
    if ((byte & bit) !== 0) return false;
    seen[place >> 3] = byte | bit;
  }
  return true;
}

const isWhole = (data: NumberArray): boolean => !(data instanceof Float64Array || data instanceof Float32Array);
