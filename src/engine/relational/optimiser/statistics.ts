import type { Column, NumberArray } from '../table.ts';

export interface Range {
  readonly low: number;
  readonly high: number;
}

/** Largest bitmap by which values are counted, in bits: 8 MB. Keys spread wider are taken for unique only where they ascend. */
const BITMAP_BITS = 2 ** 26;

const ranges = new WeakMap<NumberArray, Range>();
const distincts = new WeakMap<NumberArray, number>();

/** By the first column of a combination. */
const together = new WeakMap<
  NumberArray,
  readonly { readonly others: readonly Column[]; readonly areUnique: boolean }[]
>();

const isNumbers = (data: Column['data']): data is NumberArray => !Array.isArray(data);

/** Least and greatest number of a column; undefined where it has none. Counted once for each array. */
export function rangeOf({ data }: Column): Range | undefined {
  if (!isNumbers(data) || data.length === 0) return undefined;
  const known = ranges.get(data);
  if (known !== undefined) return known;
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let row = 0; row < data.length; row++) {
    const value = data[row] ?? 0;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  const range = { low, high };
  ranges.set(data, range);
  return range;
}

/** How many different numbers a column has, at most; exactly, where they are whole and not spread too wide. Counted once for each array. */
export function distinctIn(column: Column): number {
  const { data } = column;
  if (!isNumbers(data)) return data.length;
  const known = distincts.get(data);
  if (known !== undefined) return known;
  const distinct = ascends(data) ? data.length : (combinations([column]) ?? data.length);
  distincts.set(data, distinct);
  return distinct;
}

/** Whether no two rows are known to have the same values in all of `columns`. */
export function areUnique(columns: readonly Column[]): boolean {
  if (columns.length === 0 || columns.some(({ nulls }) => nulls !== undefined)) return false;
  return columns.some(isUnique) || areUniqueTogether(columns);
}

function areUniqueTogether(columns: readonly Column[]): boolean {
  const [first, ...others] = columns;
  if (first === undefined || !isNumbers(first.data) || others.length === 0) return false;
  const known = together.get(first.data) ?? [];
  const same = known.find(
    each => each.others.length === others.length && each.others.every((own, at) => own === others[at]),
  );
  if (same !== undefined) return same.areUnique;
  const found = combinations(columns) === first.data.length;
  together.set(first.data, [...known, { others, areUnique: found }]);
  return found;
}

const isUnique = (column: Column): boolean => isWhole(column.data) && distinctIn(column) === column.data.length;

const isWhole = (data: Column['data']): boolean =>
  isNumbers(data) && !(data instanceof Float64Array || data instanceof Float32Array);

function ascends(data: NumberArray): boolean {
  for (let row = 1; row < data.length; row++) if (!((data[row - 1] ?? 0) < (data[row] ?? 0))) return false;
  return true;
}

interface Part {
  readonly data: NumberArray;
  readonly low: number;
  /** Numbers from the least to the greatest. */
  readonly width: number;
}

/** How many different combinations of values rows have, by a bitmap of all that are possible; undefined where these are too many. */
function combinations(columns: readonly Column[]): number | undefined {
  let size = 1;
  const parts: Part[] = [];
  for (const column of columns) {
    const range = rangeOf(column);
    const { data } = column;
    if (range === undefined || !isNumbers(data) || !isWhole(data)) return undefined;
    const width = range.high - range.low + 1;
    size *= width;
    parts.push({ data, low: range.low, width });
  }
  if (!(size <= BITMAP_BITS)) return undefined;
  const places = new Int32Array(parts[0]?.data.length ?? 0);
  for (const part of parts) addPlaces(places, part);
  return different(places, size);
}

function addPlaces(places: Int32Array, { data, low, width }: Part): void {
  for (let row = 0; row < places.length; row++) places[row] = (places[row] ?? 0) * width + (data[row] ?? 0) - low;
}

/** How many different numbers there are, all below `size`. */
function different(places: Int32Array, size: number): number {
  const seen = new Uint8Array(Math.ceil(size / 8));
  let found = 0;
  for (let row = 0; row < places.length; row++) {
    const place = places[row] ?? 0;
    const bit = 1 << (place & 7);
    const byte = seen[place >> 3] ?? 0;
    if ((byte & bit) !== 0) continue;
    seen[place >> 3] = byte | bit;
    found++;
  }
  return found;
}
