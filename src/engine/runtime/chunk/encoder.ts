import { IN_HEAP_BYTES } from '../../contract/element-size.ts';
import { ClonedSection } from './cloned-section.ts';
import { isDate } from './date.ts';
import { areLeaves } from './faithful.ts';
import { type Identity, writeIdentity } from './identity.ts';
import * as layout from './layout.ts';
import { cutRows, firstFilled, flatten, measureLists } from './list.ts';
import { isEmpty, isOrdinary, isOrdinaryView, Look } from './look.ts';
import { PrimitiveColumns } from './primitive-columns.ts';
import { type Column, References, someRepeats } from './references.ts';
import { areOfCode, writeScattered } from './scattered.ts';
import { Scratch } from './scratch.ts';
import { isPlainObject, Shapes } from './shape.ts';
import { CloneFailure, refusedAmong, uncloneable } from './uncloneable.ts';
import { Variants } from './variant.ts';
import { ARRAY_BUFFER, type ByteHolder, bytesOf, numbersOn, viewCodeOf } from './view.ts';

/**
 * Columns duplicate what a value refers to twice, so a cycle would never end and a dense web of references would explode. Values
 * nested deeper, spread wider or holding more items than this are cloned whole, as are those that do refer to something twice: V8
 * writes each object once.
 */
const DEEPEST = 8;
const MOST_COLUMNS = 4096;
const MOST_ITEMS = 2 ** 26;
const NO_FIELDS: readonly (readonly unknown[])[] = [];
const TANGLED = new Error('Too nested for columns.');

/** Turns elements into the bytes of a chunk, one column per type, key or list level found in them. */
export class ChunkEncoder {
  /** Typed arrays and buffers with memory of their own that it has written, in all. */
  arrays = 0;
  readonly #scratch = new Scratch();
  readonly #shapes = new Shapes();
  readonly #look = new Look();
  readonly #primitive = new PrimitiveColumns(this.#scratch);
  readonly #cloned = new ClonedSection(this.#scratch, this.#look);
  readonly #references = new References();
  /** Lists that the column being written is in, the lists that its values are all items of, and the records that they are fields of. */
  #below = 0;
  #parents: Column | undefined;
  #level = 0;
  #levels = 0;
  /** Where arrays were made that are part of this chunk. */
  #made: Uint8Array | undefined;
  #columns = 0;
  #items = 0;

  /**
   * Bytes are a view into `place`, if they fit there, or into the encoder's own scratch memory, valid until the next call. Arrays among the values
   * may have been made in the first `made` bytes of `place`, from `ARRAYS_OFFSET` on: they stay there.
   */
  encode(
    values: readonly unknown[],
    from: number,
    to: number,
    identity?: Identity,
    place?: Uint8Array,
    made = 0,
  ): Uint8Array {
    const scratch = this.#scratch;
    this.#clear(place);
    if (made > 0) scratch.take(layout.align8(made) - scratch.used);
    const start = scratch.used;
    this.#made = made > 0 ? place?.subarray(0, made) : undefined;
    const flags = identity === undefined ? 0 : writeIdentity(scratch, identity, from, to);
    this.#elements(values, from, to);
    if (this.#made === undefined) return this.#finish(to - from, flags);
    this.#made = undefined;
    scratch.u32[layout.START_WORD] = start;
    return this.#finish(to - from, flags | layout.HAS_ARRAYS);
  }

  #finish(count: number, flags: number): Uint8Array {
    const scratch = this.#scratch;
    const clonedAt = scratch.used;
    const clonedLength = this.#cloned.append();
    scratch.u32[layout.COUNT_WORD] = count;
    scratch.u32[layout.FLAGS_WORD] = flags;
    scratch.u32[layout.CLONED_OFFSET_WORD] = clonedAt;
    scratch.u32[layout.CLONED_LENGTH_WORD] = clonedLength;
    return scratch.u8.subarray(0, scratch.used);
  }

  /** The same for lists whose items lie one behind the other in `items`: `rows` of `length`, the last maybe shorter. */
  encodeRows(
    items: readonly unknown[] | Int32Array,
    used: number,
    rows: number,
    length: number,
    place?: Uint8Array,
  ): Uint8Array {
    const scratch = this.#scratch;
    this.#clear(place);
    this.#begin();
    scratch.head(layout.LIST, rows);
    const lengths = scratch.take(rows * 4) / 4;
    scratch.u32.fill(length, lengths, lengths + rows);
    if (rows > 0) scratch.u32[lengths + rows - 1] = used - (rows - 1) * length;
    if (items instanceof Int32Array) {
      scratch.head(layout.INT32, used);
      const at = scratch.take(used * 4) / 4;
      scratch.i32.set(items.subarray(0, used), at);
      return this.#finish(rows, 0);
    }
    try {
      this.#below++;
      this.#level = 0;
      this.#column(items, 0, used, 1);
      if (this.#references.mayRepeat) throw TANGLED;
    } catch {
      // Too nested, maybe with something in it twice, or not to be cloned: the plain way has the words for it.
      return this.encode(cutRows(items, used, length), 0, rows, undefined, place);
    }
    return this.#finish(rows, 0);
  }

  #clear(place: Uint8Array | undefined): void {
    this.#scratch.clear();
    if (place !== undefined) this.#scratch.lend(place);
    this.#scratch.take(layout.HEADER_BYTES);
  }

  #begin(): void {
    this.#cloned.clear();
    this.#columns = 0;
    this.#items = 0;
    this.#below = 0;
    this.#parents = undefined;
    this.#levels = 0;
    this.#references.clear();
  }

  #elements(values: readonly unknown[], from: number, to: number): void {
    const start = this.#scratch.used;
    this.#begin();
    try {
      try {
        this.#column(values, from, to, 0);
        if (this.#references.mayRepeat && someRepeats(values, from, to)) throw TANGLED;
      } catch (error) {
        if (error !== TANGLED) throw error;
        this.#scratch.used = start;
        this.#begin();
        this.#cloned.column(values, from, to);
      }
    } catch (error) {
      if (error instanceof CloneFailure) throw uncloneable(values, from, to, error.cause);
      // Bytes that are no longer there.
      throw (error instanceof TypeError ? refusedAmong(values, from, to) : undefined) ?? error;
    }
  }

  /** Invariant: a kind that turns out not to fit has written nothing to the cloned section, whose order must match the columns. */
  #column(values: readonly unknown[], from: number, to: number, depth: number): void {
    if (depth > DEEPEST || ++this.#columns > MOST_COLUMNS) throw TANGLED;
    const start = this.#scratch.used;
    if (from === to) {
      this.#scratch.head(layout.UNDEFINED, 0);
    } else if (!this.#uniform(values.at(from), values, from, to, depth)) {
      this.#scratch.used = start;
      this.#union(values, from, to, depth);
    }
  }

  /** Writes the column as the kind of its first value, if all are of it. */
  #uniform(first: unknown, values: readonly unknown[], from: number, to: number, depth: number): boolean {
    switch (typeof first) {
      case 'number':
        return this.#primitive.numbers(values, from, to);
      case 'string':
        return this.#cloned.strings(values, from, to);
      case 'boolean':
        return this.#primitive.booleans(values, from, to);
      case 'bigint':
        return this.#primitive.bigints(values, from, to);
      case 'undefined':
        return this.#primitive.constants(layout.UNDEFINED, undefined, values, from, to);
      case 'object':
        if (first === null) return this.#primitive.constants(layout.NULL, null, values, from, to);
        if (Array.isArray(first)) return this.#lists(values, from, to, depth);
        if (isPlainObject(first)) return this.#records(first, values, from, to, depth);
        if (isDate(first)) return this.#dates(values, from, to, depth);
        return this.#bytes(viewCodeOf(first), values, from, to, depth);
      default:
        return false;
    }
  }

  #dates(values: readonly unknown[], from: number, to: number, depth: number): boolean {
    if (!this.#primitive.times(values, from, to) || !this.#look.areAll(isEmpty, values, from, to)) return false;
    this.#refer(Date, values, from, to, depth);
    return true;
  }

  #bytes(code: number, values: readonly unknown[], from: number, to: number, depth: number): boolean {
    if (code < 0) return false;
    if (this.#made !== undefined && code !== ARRAY_BUFFER) {
      return this.#scattered(this.#made, code, values, from, to, depth);
    }
    const scratch = this.#scratch;
    scratch.head(layout.BYTES, to - from);
    scratch.u32[scratch.take(8) / 4] = code;
    const lengths = scratch.take((to - from) * 4) / 4 - from;
    let total = 0;
    let arrays = 0;
    for (let i = from; i < to; i++) {
      const value = values[i];
      if (typeof value !== 'object' || value === null || viewCodeOf(value) !== code) return false;
      const length = (value as ByteHolder).byteLength;
      scratch.u32[lengths + i] = length;
      total += layout.align8(length);
      if (length > IN_HEAP_BYTES) arrays++;
    }
    if (!this.#look.areAll(isOrdinaryView, values, from, to)) return false;
    this.arrays += arrays;
    this.#refer(code, values, from, to, depth);
    let at = scratch.take(total);
    const numbers = numbersOn(code, scratch.u8);
    for (let i = from; i < to; i++) {
      const value = values[i] as ByteHolder;
      if (numbers === undefined) scratch.u8.set(bytesOf(value), at);
      else numbers.set(value as Int32Array, at / numbers.BYTES_PER_ELEMENT);
      at += layout.align8(value.byteLength);
    }
    return true;
  }

  /** The same where some may have been made in the chunk: these are not written again. */
  #scattered(
    made: Uint8Array,
    code: number,
    values: readonly unknown[],
    from: number,
    to: number,
    depth: number,
  ): boolean {
    if (!areOfCode(code, values, from, to) || !this.#look.areAll(isOrdinaryView, values, from, to)) return false;
    this.#refer(code, values, from, to, depth);
    this.#scratch.head(layout.SCATTERED, to - from);
    this.arrays += writeScattered(this.#scratch, made, code, values, from, to);
    return true;
  }

  #records(first: object, values: readonly unknown[], from: number, to: number, depth: number): boolean {
    const shape = this.#shapes.of(first);
    const fields = shape?.gather(values, from, to);
    if (shape === undefined || fields === undefined || !this.#look.areAll(isOrdinary, values, from, to)) return false;
    this.#refer(shape, values, from, to, depth, fields);
    this.#references.addFields(fields);
    const scratch = this.#scratch;
    scratch.head(layout.RECORD, to - from);
    const lengths = scratch.take(8) / 4;
    scratch.u32[lengths] = fields.length;
    scratch.u32[lengths + 1] = shape.name.byteLength;
    const name = scratch.take(shape.name.byteLength);
    scratch.u8.set(shape.name, name);
    const own = this.#below > 0 ? 0 : ++this.#levels;
    for (const field of fields) {
      this.#level = own;
      this.#column(field, 0, to - from, depth + 1);
    }
    return true;
  }

  #lists(values: readonly unknown[], from: number, to: number, depth: number): boolean {
    const scratch = this.#scratch;
    scratch.head(layout.LIST, to - from);
    const lengths = scratch.take((to - from) * 4) / 4 - from;
    const total = measureLists(values, from, to, scratch.u32, lengths);
    if (total < 0 || !this.#look.areLists(values, from, to, total)) return false;
    this.#refer(Array, values, from, to, depth);
    const first = firstFilled(values, from, to);
    if (typeof first.at(0) === 'number' && this.#primitive.numberLists(first, values, from, to, total)) return true;
    this.#items += total;
    if (this.#items > MOST_ITEMS) throw TANGLED;
    const items = flatten(values, from, to);
    if (items === undefined) return false;
    this.#parents = this.#below === 0 ? { values, from, to } : undefined;
    this.#level = 0;
    this.#below++;
    this.#column(items, 0, items.length, depth + 1);
    this.#below--;
    return true;
  }

  /** Elements themselves are all different objects to their readers. */
  #refer(
    kind: unknown,
    values: readonly unknown[],
    from: number,
    to: number,
    depth: number,
    fields: readonly (readonly unknown[])[] = NO_FIELDS,
  ): void {
    if (depth > 0) this.#references.add(kind, { values, from, to }, this.#level, this.#parents, fields);
    this.#parents = undefined;
  }

  #union(values: readonly unknown[], from: number, to: number, depth: number): void {
    const scratch = this.#scratch;
    const start = scratch.used;
    this.#parents = undefined;
    // Fields that do not begin with an object were not compared with others.
    const level = typeof values[from] === 'object' || values[from] === undefined ? this.#level : 0;
    scratch.head(layout.UNION, to - from);
    const counts = scratch.take(8) / 4;
    const codes = scratch.take(to - from);
    const variants = new Variants(this.#shapes);
    if (variants.deal(values, from, to, scratch.u8, codes)) {
      scratch.u32[counts] = variants.columns.length;
      for (const column of variants.columns) {
        this.#level = level;
        this.#column(column, 0, column.length, depth);
      }
    } else {
      scratch.used = start;
      this.#cloned.column(values, from, to);
      if (depth > 0 && !areLeaves(values, from, to)) this.#references.addOpaque();
    }
  }
}
