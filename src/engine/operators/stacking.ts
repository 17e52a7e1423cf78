import { VenturiError } from '../../model/errors.ts';
import type { NumberArray, NumberArrays, NumberArrayType } from '../contract/tensor.ts';
import { type Form, formOf, hasForm, misfitOf, type NumbersForm, numbersOf, type TreeForm } from './stack-form.ts';

/** Has memory in which batches travel. */
export interface Lender {
  /**
   * So many bytes of it, for a batch that is to leave as it is; undefined where there are none now. If it has to be given back before that batch
   * is whole, `vacate` is called: true where something was under way, which lies elsewhere from then on.
   */
  lend?(bytes: number, vacate: () => boolean): Uint8Array | undefined;
}

/** Of every array's beginning: a cache line. */
const ALIGNMENT = 64;
const aligned = (bytes: number): number => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;

/** The numbers of all elements of a batch at one place of theirs. */
interface Rows {
  readonly form: NumbersForm;
  array: NumberArray;
}

/** What is no number, at one place. */
type Listed = unknown[];

/** Gathers elements of one form into a batch of arrays: each element's numbers are written once, to where they stay until the batch leaves. */
export class Stacking {
  readonly #size: number;
  readonly #lender: Lender | undefined;
  #form: Form | undefined;
  /** In the order of their places in an element. */
  #rows: Rows[] = [];
  #lists: Listed[] = [];
  /** Elements of the batch that is being made. */
  #fill = 0;
  /** It has memory. */
  #begun = false;
  #isLent = false;
  /** Places for the next element that were given away: the first so many of its rows were looked at. */
  #asked = 0;
  #given = false;

  /** `lender`: where the batch goes as it is; undefined where something behind it may keep or change it. */
  constructor(size: number, lender: Lender | undefined) {
    this.#size = size;
    this.#lender = lender;
  }

  /** Takes an element in. Gives the batch when it is whole. */
  add(element: unknown): unknown {
    const values = this.#numbersOf(element);
    if (!this.#begun) this.#begin();
    const at = this.#fill;
    for (let k = 0; k < values.length; k++) write(this.#rows[k] as Rows, at, values[k] as NumberArray);
    if (this.#lists.length > 0) this.#list(this.#form, element, 0);
    this.#given = false;
    this.again();
    if (++this.#fill < this.#size) return undefined;
    return this.#leave();
  }

  /** What there is of a batch; undefined: nothing. */
  rest(): unknown {
    return this.#fill === 0 ? undefined : this.#leave();
  }

  reset(): void {
    this.#fill = 0;
    this.#begun = false;
    this.#given = false;
    this.#lists = this.#lists.map(() => []);
  }

  /** Elements as they came. */
  held(): unknown[] {
    return Array.from({ length: this.#fill }, (_, at) => this.#element(at));
  }

  /** The function that makes the next element begins, maybe anew. */
  again(): void {
    this.#asked = 0;
  }

  /** Memory where the next element's numbers belong, as far as the elements before it tell; undefined where they do not. */
  place<K extends keyof NumberArrays>(type: NumberArrayType<K>, length: number): NumberArrays[K] | undefined {
    while (this.#asked < this.#rows.length) {
      const { form } = this.#rows[this.#asked++] as Rows;
      if (form.type !== (type as unknown) || form.numbers !== length) continue;
      if (!this.#begun) this.#begin();
      const { array } = this.#rows[this.#asked - 1] as Rows;
      this.#given = true;
      return array.subarray(this.#fill * length, (this.#fill + 1) * length) as NumberArrays[K];
    }
    return undefined;
  }

  /** Numbers of an element at each of their places, none of them in memory that is about to be written. */
  #numbersOf(element: unknown): readonly (NumberArray | number | bigint)[] {
    if (this.#form === undefined || !hasForm(this.#form, element)) {
      const form = formOf(element);
      if (form === undefined || this.#fill > 0) throw unfit(this.#fill > 0 ? this.#form : undefined, element);
      const values = this.#apart(numbersAt(form, element), () => false);
      this.#take(form);
      return values;
    }
    return this.#apart(numbersAt(this.#form, element), (value, k) => isAt(this.#rows[k] as Rows, this.#fill, value));
  }

  /** What lies where the batch does, and is not said to stay there, is put aside. */
  #apart(
    values: (NumberArray | number | bigint)[],
    stays: (value: NumberArray, at: number) => boolean,
  ): readonly (NumberArray | number | bigint)[] {
    if (!this.#given) return values;
    const batch = new Set(this.#rows.map(({ array }) => array.buffer));
    return values.map((value, at) =>
      typeof value === 'object' && batch.has(value.buffer) && !stays(value, at) ? copyOf(value) : value,
    );
  }

  /** Elements have another form from now on. */
  #take(form: Form): void {
    this.#form = form;
    this.#rows = numbersForms(form).map(each => ({ form: each, array: new each.type(0) as NumberArray }));
    this.#lists = Array.from({ length: listsOf(form) }, () => []);
    this.#begun = false;
  }

  #begin(): void {
    const bytesOf = ({ form }: Rows): number => aligned(this.#size * form.numbers * form.type.BYTES_PER_ELEMENT);
    const bytes = this.#rows.reduce((sum, rows) => sum + bytesOf(rows), 0);
    const lent = bytes === 0 ? undefined : this.#lender?.lend?.(bytes, this.#vacate);
    this.#isLent = lent !== undefined;
    this.#begun = true;
    let at = lent?.byteOffset ?? 0;
    for (const rows of this.#rows) {
      const { type, numbers } = rows.form;
      const length = this.#size * numbers;
      rows.array = (lent === undefined ? new type(length) : viewOn(type, lent.buffer, at, length)) as NumberArray;
      at += bytesOf(rows);
    }
  }

  readonly #vacate = (): boolean => {
    if (!this.#begun || !this.#isLent) return false;
    for (const rows of this.#rows) {
      const { type, numbers } = rows.form;
      const array = new type(this.#size * numbers) as Int32Array;
      array.set(rows.array.subarray(0, this.#fill * numbers) as Int32Array);
      rows.array = array;
    }
    this.#isLent = false;
    return true;
  };

  #leave(): unknown {
    const rows = this.#rows[Symbol.iterator]();
    const lists = this.#lists[Symbol.iterator]();
    const batch = this.#batch(this.#form as Form, rows, lists);
    this.reset();
    return batch;
  }

  #batch(form: Form, rows: Iterator<Rows>, lists: Iterator<Listed>): unknown {
    if (form.kind === 'tree') return treeOf(form, part => this.#batch(part, rows, lists));
    if (form.kind === 'list') return lists.next().value;
    const { array } = rows.next().value as Rows;
    const used = this.#fill * form.numbers;
    const isWhole = this.#fill === this.#size;
    // Memory of its own is no larger than what is in it.
    const data = isWhole ? array : this.#isLent ? array.subarray(0, used) : array.slice(0, used);
    return { data, shape: [this.#fill, ...form.shape] };
  }

  /** Puts what is no number into its lists, from list `next` on; gives the one behind. */
  #list(form: Form | undefined, value: unknown, next: number): number {
    if (form?.kind === 'list') {
      this.#lists[next]?.push(value);
      return next + 1;
    }
    if (form?.kind !== 'tree') return next;
    let behind = next;
    form.parts.forEach((part, at) => {
      behind = this.#list(part, (value as Readonly<Record<string, unknown>>)[form.keys[at] ?? ''], behind);
    });
    return behind;
  }

  #element(at: number): unknown {
    let [rows, lists] = [0, 0];
    const made = (form: Form): unknown => {
      if (form.kind === 'tree') return treeOf(form, made);
      if (form.kind === 'list') return this.#lists[lists++]?.[at];
      const { array } = this.#rows[rows++] as Rows;
      const { as, numbers, shape } = form;
      if (as === 'number' || as === 'bigint') return array[at];
      const data = array.slice(at * numbers, (at + 1) * numbers);
      if (as === 'array') return data;
      if (as === 'tensor') return { data, shape };
      const [height, width, channels] = shape;
      return { width, height, channels, data };
    };
    return made(this.#form as Form);
  }
}

function treeOf({ isArray, keys, parts }: TreeForm, make: (part: Form) => unknown): unknown {
  const made = parts.map(make);
  return isArray ? made : Object.fromEntries(keys.map((key, at) => [key, made[at]]));
}

const viewOn = (
  type: NumberArrayType<keyof NumberArrays>,
  memory: ArrayBufferLike,
  at: number,
  length: number,
): NumberArray => new (type as unknown as Int32ArrayConstructor)(memory, at, length);

/** Forms of numbers, in the order of their places. */
function numbersForms(form: Form): readonly NumbersForm[] {
  if (form.kind === 'tree') return form.parts.flatMap(numbersForms);
  return form.kind === 'numbers' ? [form] : [];
}

const listsOf = (form: Form): number =>
  form.kind === 'tree' ? form.parts.reduce((sum, part) => sum + listsOf(part), 0) : form.kind === 'list' ? 1 : 0;

function numbersAt(form: Form, value: unknown, into: (NumberArray | number | bigint)[] = []): typeof into {
  if (form.kind === 'numbers') into.push(numbersOf(form, value));
  if (form.kind !== 'tree') return into;
  for (let at = 0; at < form.parts.length; at++) {
    const key = form.keys[at] ?? '';
    numbersAt(form.parts[at] as Form, (value as Readonly<Record<string, unknown>>)[key], into);
  }
  return into;
}

/** Unless they are there already. */
function write(rows: Rows, at: number, value: NumberArray | number | bigint): void {
  const { array, form } = rows;
  if (typeof value !== 'object') {
    if (typeof value === 'bigint' && BigInt.asIntN(64, value) !== value) throw tooLarge(value);
    (array as unknown as (number | bigint)[])[at] = value;
  } else if (!isAt(rows, at, value)) (array as Int32Array).set(value as Int32Array, at * form.numbers);
}

/** Only a view at the right offset is asked for its buffer: that of a small array would have to be made. */
const isAt = ({ array, form }: Rows, at: number, value: NumberArray): boolean =>
  value.byteOffset === array.byteOffset + at * form.numbers * form.type.BYTES_PER_ELEMENT &&
  value.buffer === array.buffer;

/** In memory of its own: `slice` of a Buffer would be a view. */
function copyOf(value: NumberArray): NumberArray {
  const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength).slice();
  return value instanceof Uint8Array
    ? bytes
    : viewOn(value.constructor as typeof Int32Array as never, bytes.buffer, 0, value.length);
}

function unfit(form: Form | undefined, element: unknown): VenturiError {
  const misfit = misfitOf(form, element);
  const where = misfit === undefined || misfit.path === '' ? 'it is' : `its '${misfit.path}' is`;
  const wanted = misfit?.wanted === undefined ? '' : `, where other elements of its batch have ${misfit.wanted}`;
  return new VenturiError('VENTURI_BAD_RECORD', `it cannot be stacked: ${where} ${misfit?.what}${wanted}`, {
    remedy:
      'bring all elements to one form before: typed arrays of one type and length, images of one size, { data, shape }, numbers, and objects of these; or take batch(), which makes arrays of anything, or paddedBatch() for rows of several lengths',
  });
}

const tooLarge = (value: bigint): VenturiError =>
  new VenturiError('VENTURI_BAD_RECORD', `${value} does not fit into 64 bits`, {
    remedy: 'make a text of it before it is stacked',
  });
