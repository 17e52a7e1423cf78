import { ClonedReader } from './cloned.ts';
import { Restorer } from './description.ts';
import { runFrom } from './identity.ts';
import * as layout from './layout.ts';
import { cutLists } from './list.ts';
import { readDoubles, readInts, readLists } from './numbers.ts';
import { packedSlots } from './packed.ts';
import { Builders, type FieldSource, FROM_ARRAY, FROM_DOUBLES, FROM_INTS } from './shape.ts';
import { copyOut, numbersOn, viewOf } from './view.ts';

export interface DecodedChunk {
  readonly values: unknown[];
  readonly sequence: Float64Array | undefined;
  readonly sub: Uint32Array | undefined;
}

/** Views on one memory. A ring is one memory for all its chunks, so they are made once. */
class Memory {
  readonly buffer: ArrayBufferLike;
  readonly u8: Uint8Array;
  readonly i32: Int32Array;
  readonly u32: Uint32Array;
  readonly f64: Float64Array;
  readonly i64: BigInt64Array;
  readonly text: Buffer;

  constructor(buffer: ArrayBufferLike) {
    const words = Math.floor(buffer.byteLength / 4);
    const longs = Math.floor(buffer.byteLength / 8);
    this.buffer = buffer;
    this.u8 = new Uint8Array(buffer);
    this.i32 = new Int32Array(buffer, 0, words);
    this.u32 = new Uint32Array(buffer, 0, words);
    this.f64 = new Float64Array(buffer, 0, longs);
    this.i64 = new BigInt64Array(buffer, 0, longs);
    this.text = Buffer.from(buffer);
  }
}

/** Makes elements of a chunk's bytes. Columns are read in the order they were written, by a cursor. */
export class ChunkDecoder {
  readonly #builders = new Builders();
  #memory = new Memory(new ArrayBuffer(0));
  #cloned: ClonedReader | undefined;
  #restorer: Restorer | undefined;
  #clonedBytes = new Uint8Array(0) as Uint8Array;
  #borrow = false;
  /** In bytes from the start of the memory. */
  #at = 0;
  /** Where the chunk begins there. */
  #start = 0;

  /**
   * `bytes` may lie in a SharedArrayBuffer that is reused as soon as this returns: everything returned owns its memory, unless
   * `borrow`, where byte arrays may be views into `bytes`.
   */
  decode(bytes: Uint8Array, borrow = false): DecodedChunk {
    const start = bytes.byteOffset;
    if (start % 8 !== 0) throw new Error(`A chunk starts at a multiple of 8 bytes, not at ${start}.`);
    if (bytes.buffer !== this.#memory.buffer) this.#memory = new Memory(bytes.buffer);
    const { u32 } = this.#memory;
    const count = u32[start / 4 + layout.COUNT_WORD] as number;
    const flags = u32[start / 4 + layout.FLAGS_WORD] as number;
    const clonedAt = u32[start / 4 + layout.CLONED_OFFSET_WORD] as number;
    const clonedLength = u32[start / 4 + layout.CLONED_LENGTH_WORD] as number;
    this.#cloned = undefined;
    this.#restorer = undefined;
    this.#clonedBytes = bytes.subarray(clonedAt, clonedAt + clonedLength);
    this.#borrow = borrow;
    this.#at =
      start +
      ((flags & layout.HAS_ARRAYS) === 0 ? layout.HEADER_BYTES : (u32[start / 4 + layout.START_WORD] as number));
    this.#start = start;
    const identified = (flags & layout.HAS_IDENTITY) !== 0;
    const sequence = identified ? this.#sequence(flags, count) : undefined;
    const sub = identified ? this.#sub(flags, count) : undefined;
    const values = this.#packed();
    this.#cloned = undefined;
    this.#restorer = undefined;
    return { values, sequence, sub };
  }

  /** Refers to no memory of others any more. */
  forget(): void {
    this.#memory = new Memory(new ArrayBuffer(0));
    this.#clonedBytes = new Uint8Array(0);
  }

  #sequence(flags: number, count: number): Float64Array {
    const { f64 } = this.#memory;
    if ((flags & layout.SEQUENCE_IS_RUN) !== 0) return runFrom(f64[this.#skip(8) / 8] as number, count);
    const at = this.#skip(count * 8) / 8;
    return f64.slice(at, at + count);
  }

  #sub(flags: number, count: number): Uint32Array {
    if ((flags & layout.SUB_IS_ZERO) !== 0) return new Uint32Array(count);
    const at = this.#skip(count * 4) / 4;
    return this.#memory.u32.slice(at, at + count);
  }

  /** Moves the cursor past `bytes` and returns where it was. */
  #skip(bytes: number): number {
    const at = this.#at;
    this.#at = at + layout.align8(bytes);
    return at;
  }

  #kind(): number {
    return this.#memory.u32[this.#at / 4] as number;
  }

  /** The next column as an array without holes, fit to hand out. V8's own arrays are marked as having them. */
  #packed(): unknown[] {
    const cloned = this.#kind() === layout.CLONED;
    const column = this.#column();
    if (!cloned) return column;
    const packed = packedSlots(column.length);
    for (let i = 0; i < packed.length; i++) packed[i] = column[i];
    return packed;
  }

  #column(): unknown[] {
    const kind = this.#kind();
    const count = this.#memory.u32[this.#at / 4 + 1] as number;
    this.#at += layout.COLUMN_BYTES;
    switch (kind) {
      case layout.UNDEFINED:
        return packedSlots(count);
      case layout.NULL:
        return packedSlots(count).fill(null);
      case layout.BOOLEAN:
        return this.#booleans(count);
      case layout.INT32:
        return readInts(this.#memory.i32, this.#skip(count * 4) / 4, count);
      case layout.FLOAT64:
        return readDoubles(this.#memory.f64, this.#skip(count * 8) / 8, count);
      case layout.BIGINT64:
        return this.#bigints(count);
      case layout.DATE:
        return this.#dates(count);
      case layout.BYTES:
        return this.#bytes(count);
      case layout.SCATTERED:
        return this.#scattered(count);
      case layout.RECORD:
        return this.#records(count);
      case layout.LIST:
        return this.#lists(count);
      case layout.UNION:
        return this.#union(count);
      case layout.CLONED:
        return this.#clone();
      case layout.DESCRIBED:
        return this.#described();
      default:
        throw new Error(`No column is of kind ${kind}: these bytes are not a chunk.`);
    }
  }

  #clone(): unknown[] {
    this.#cloned ??= new ClonedReader(this.#clonedBytes, this.#borrow);
    return this.#cloned.readValue() as unknown[];
  }

  #described(): unknown[] {
    const described = this.#clone();
    this.#restorer ??= new Restorer();
    const out = packedSlots(described.length);
    for (let i = 0; i < out.length; i++) out[i] = this.#restorer.restore(described[i]);
    return out;
  }

  #booleans(count: number): unknown[] {
    const { u8 } = this.#memory;
    const at = this.#skip(count);
    const out = packedSlots(count);
    for (let i = 0; i < count; i++) out[i] = u8[at + i] === 1;
    return out;
  }

  #bigints(count: number): unknown[] {
    const { i64 } = this.#memory;
    const at = this.#skip(count * 8) / 8;
    const out = packedSlots(count);
    for (let i = 0; i < count; i++) out[i] = i64[at + i];
    return out;
  }

  #dates(count: number): unknown[] {
    const { f64 } = this.#memory;
    const at = this.#skip(count * 8) / 8;
    const out = packedSlots(count);
    for (let i = 0; i < count; i++) out[i] = new Date(f64[at + i] as number);
    return out;
  }

  #bytes(count: number): unknown[] {
    const { u8, u32 } = this.#memory;
    const code = u32[this.#skip(8) / 4] as number;
    const lengths = this.#skip(count * 4) / 4;
    const out = packedSlots(count);
    const numbers = this.#borrow ? undefined : numbersOn(code, u8);
    for (let i = 0; i < count; i++) {
      const length = u32[lengths + i] as number;
      out[i] = this.#holder(code, numbers, this.#skip(length), length);
    }
    return out;
  }

  #holder(code: number, numbers: Int32Array | undefined, at: number, length: number): unknown {
    const { u8 } = this.#memory;
    if (this.#borrow) return viewOf(code, u8, at, length);
    if (numbers === undefined) return copyOut(code, u8, at, length);
    return numbers.slice(at / numbers.BYTES_PER_ELEMENT, (at + length) / numbers.BYTES_PER_ELEMENT);
  }

  #scattered(count: number): unknown[] {
    const { u8, u32 } = this.#memory;
    const head = this.#skip(8) / 4;
    const code = u32[head] as number;
    const places = this.#skip(count * 8) / 4;
    this.#skip(u32[head + 1] as number);
    const out = packedSlots(count);
    const numbers = this.#borrow ? undefined : numbersOn(code, u8);
    for (let i = 0; i < count; i++) {
      const at = this.#start + (u32[places + 2 * i] as number);
      out[i] = this.#holder(code, numbers, at, u32[places + 2 * i + 1] as number);
    }
    return out;
  }

  #records(count: number): unknown[] {
    const { u32, i32, f64, text } = this.#memory;
    const lengths = this.#skip(8) / 4;
    const fields = u32[lengths] as number;
    const nameLength = u32[lengths + 1] as number;
    const at = this.#skip(nameLength);
    const name = text.toString('utf8', at, at + nameLength);
    const sources: FieldSource[] = [];
    let kinds = '';
    for (let i = 0; i < fields; i++) {
      const kind = this.#kind();
      if (kind === layout.INT32) {
        kinds += FROM_INTS;
        this.#at += layout.COLUMN_BYTES;
        sources.push(this.#skip(count * 4) / 4);
      } else if (kind === layout.FLOAT64) {
        kinds += FROM_DOUBLES;
        this.#at += layout.COLUMN_BYTES;
        sources.push(this.#skip(count * 8) / 8);
      } else {
        kinds += FROM_ARRAY;
        sources.push(this.#column());
      }
    }
    return this.#builders.of(name, kinds)(packedSlots(count), i32, f64, ...sources);
  }

  #lists(count: number): unknown[] {
    const { u32, i32, f64 } = this.#memory;
    const lengths = this.#skip(count * 4) / 4;
    const out = packedSlots(count);
    const kind = this.#kind();
    const total = u32[this.#at / 4 + 1] as number;
    if (kind === layout.INT32) {
      this.#at += layout.COLUMN_BYTES;
      readLists(readInts, i32, this.#skip(total * 4) / 4, u32, lengths, out);
    } else if (kind === layout.FLOAT64) {
      this.#at += layout.COLUMN_BYTES;
      readLists(readDoubles, f64, this.#skip(total * 8) / 8, u32, lengths, out);
    } else {
      cutLists(this.#packed(), u32, lengths, out);
    }
    return out;
  }

  #union(count: number): unknown[] {
    const { u8, u32 } = this.#memory;
    const variants = u32[this.#skip(8) / 4] as number;
    const codes = this.#skip(count);
    const columns: unknown[][] = [];
    for (let i = 0; i < variants; i++) columns.push(this.#column());
    const next = new Uint32Array(variants);
    const out = packedSlots(count);
    for (let i = 0; i < count; i++) {
      const code = u8[codes + i] as number;
      const at = next[code] as number;
      out[i] = columns[code]?.[at];
      next[code] = at + 1;
    }
    return out;
  }
}
