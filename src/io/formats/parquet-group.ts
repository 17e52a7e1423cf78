import { VenturiError } from '../../model/errors.ts';
import type { Column } from './parquet-row.ts';

/** A column as a row group gives it: all at once, or a slice of rows after the other. */
export interface GroupColumn {
  readonly name: string;
  /** Bytes its values take up once they are decoded, about. */
  readonly weight: number;
  /** The next values: at least one row, about `target` bytes of them where it can be divided. */
  next(target: number): Promise<Column>;
}

interface RowSlice {
  values: Column;
  /** Rows of it that were handed out. */
  used: number;
}

/** Rows of a row group, side by side. */
export interface Rows {
  readonly columns: readonly Column[];
  readonly count: number;
}

/**
 * The rows of one row group. Where its columns fit into the memory they are decoded whole; where not, each is decoded
 * page by page, and rows go as far as the shortest slice of them.
 */
export class ParquetGroup {
  readonly rows: number;
  readonly #columns: readonly GroupColumn[];
  readonly #slices: RowSlice[];
  readonly #memory: number;
  readonly #weight: number;
  readonly #relieve: () => void;
  #given = 0;

  /** `memory`: bytes that decoded values may take up. `relieve` is called when garbage was made of more. */
  constructor(rows: number, columns: readonly GroupColumn[], memory: number, relieve: () => void) {
    this.#relieve = relieve;
    this.rows = rows;
    this.#columns = columns;
    this.#slices = columns.map(() => ({ values: [], used: 0 }));
    this.#memory = memory;
    this.#weight = columns.reduce((sum, { weight }) => sum + weight, 0);
  }

  /** Rows handed out so far. */
  get given(): number {
    return this.#given;
  }

  /** The next rows; none at the end. */
  async next(): Promise<Rows> {
    const left = this.rows - this.#given;
    if (left === 0) return { columns: [], count: 0 };
    let count = left;
    for (const [at, column] of this.#columns.entries()) {
      const slice = this.#slices[at] as RowSlice;
      if (slice.used === slice.values.length) {
        // Let go before the next ones are made.
        slice.values = [];
        slice.values = await column.next((this.#memory * column.weight) / this.#weight);
        slice.used = 0;
        this.#relieve();
      }
      count = Math.min(count, slice.values.length - slice.used);
    }
    const columns = this.#slices.map(({ values, used }) => part(values, used, used + count));
    for (const slice of this.#slices) slice.used += count;
    this.#given += count;
    return { columns, count };
  }
}

function part(values: Column, from: number, to: number): Column {
  if (from === 0 && to === values.length) return values;
  return Array.isArray(values) ? values.slice(from, to) : (values as Uint8Array).subarray(from, to);
}

/** `bytes` of what cannot be divided are more than the `memory` there is. */
export const cannotFit = (path: string, what: string, bytes: number, memory: number): VenturiError =>
  new VenturiError(
    'VENTURI_BUDGET_TOO_SMALL',
    `${path}: ${what} takes ${megabytes(bytes)} decoded, and this source may hold ${megabytes(memory)}`,
    {
      remedy: `give the run ${Math.ceil(bytes / memory)} times its memory, read fewer columns, or write smaller row groups and pages`,
    },
  );

const megabytes = (bytes: number): string => `${(bytes / 1e6).toPrecision(3)} MB`;
