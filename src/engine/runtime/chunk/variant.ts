import { isDate } from './date.ts';
import { isDense, isList } from './list.ts';
import { hasShape, isPlainObject, type Shape, type Shapes } from './shape.ts';
import { VIEW_NAMES, viewCodeOf } from './view.ts';

/** What makes two values fit one column is numbered: their type, else their kind of bytes, else their shape in order of appearance. */
const OF_UNDEFINED = 0;
const OF_BOOLEANS = 1;
const OF_NUMBERS = 2;
const OF_BIGINTS = 3;
const OF_STRINGS = 4;
const OF_NULL = 5;
const OF_LISTS = 6;
const OF_OTHERS = 7;
const OF_DATES = 8;
const OF_VIEWS = 9;
const OF_SHAPES = OF_VIEWS + VIEW_NAMES.length;

/** More kinds of values than this in one column have no structure worth columns. */
const MOST_VARIANTS = 15;
const UNSEEN = -1;

/** The values of a mixed column, dealt out to one uniform column per variant. */
export class Variants {
  readonly columns: unknown[][] = [];
  readonly #codes = new Int8Array(OF_SHAPES + MOST_VARIANTS + 1).fill(UNSEEN);
  readonly #shapes: Shapes;
  readonly #seen: Shape[] = [];

  constructor(shapes: Shapes) {
    this.#shapes = shapes;
  }

  /** Writes each value's column number to `codes`; false when there are too many variants, or just one. */
  deal(values: readonly unknown[], from: number, to: number, codes: Uint8Array, at: number): boolean {
    for (let i = from; i < to; i++) {
      const value = values[i];
      const variant = this.#variantOf(value);
      let code = this.#codes[variant] as number;
      if (code === UNSEEN) {
        code = this.columns.length;
        if (code === MOST_VARIANTS) return false;
        this.#codes[variant] = code;
        this.columns.push([]);
      }
      codes[at++] = code;
      (this.columns[code] as unknown[]).push(value);
    }
    return this.columns.length > 1;
  }

  #variantOf(value: unknown): number {
    switch (typeof value) {
      case 'number':
        return OF_NUMBERS;
      case 'string':
        return OF_STRINGS;
      case 'undefined':
        return OF_UNDEFINED;
      case 'boolean':
        return OF_BOOLEANS;
      case 'bigint':
        return OF_BIGINTS;
      case 'object':
        return value === null ? OF_NULL : this.#variantOfObject(value);
      default:
        return OF_OTHERS;
    }
  }

  #variantOfObject(value: object): number {
    if (Array.isArray(value)) return isList(value) && isDense(value) ? OF_LISTS : OF_OTHERS;
    if (isPlainObject(value)) return this.#shapeOf(value);
    if (isDate(value)) return OF_DATES;
    const view = viewCodeOf(value);
    return view < 0 ? OF_OTHERS : OF_VIEWS + view;
  }

  #shapeOf(value: object): number {
    for (let i = 0; i < this.#seen.length; i++) {
      if (hasShape(value, this.#seen[i] as Shape)) return OF_SHAPES + i;
    }
    const shape = this.#shapes.of(value);
    if (shape === undefined) return OF_OTHERS;
    return OF_SHAPES + this.#seen.push(shape) - 1;
  }
}
