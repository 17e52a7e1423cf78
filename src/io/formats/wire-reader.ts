import { VenturiError } from '../../model/errors.ts';

/** How a field's value is written. */
const VARINT = 0;
const FIXED_64 = 1;
const LENGTH_DELIMITED = 2;
const FIXED_32 = 5;

const LITTLE_ENDIAN = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1;
/** Below this, copying bytes costs more than reading numbers. */
const LEAST_COPIED = 16;

/** Reads protocol buffers' wire format front to back. `field` goes to a field; one other method then takes its value. */
export class WireReader {
  at = 0;
  /** Of the field `field` went to. */
  number = 0;
  /** Some whole number was too large for a number. */
  rounded = false;
  readonly #bytes: Uint8Array;
  readonly #text: Buffer;
  readonly #floats: DataView;
  readonly #what: string;
  #wire = 0;
  #low = 0;
  #high = 0;

  /** `what`: the message the bytes should be, for errors. */
  constructor(bytes: Uint8Array, what: string) {
    this.#bytes = bytes;
    this.#text = Buffer.from(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.length);
    this.#floats = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#what = what;
  }

  /** Goes to the next field of a message that ends at `end`; false where there is none. */
  field(end: number): boolean {
    if (this.at === end) return false;
    if (this.at > end) this.#fail();
    const tag = this.#size();
    this.number = Math.floor(tag / 8);
    this.#wire = tag % 8;
    if (this.number === 0) this.#fail();
    return true;
  }

  /** Goes to the next field with this number, past all others; false where there is none. */
  fieldOf(number: number, end: number): boolean {
    while (this.field(end)) {
      if (this.number === number) return true;
      this.skip();
    }
    return false;
  }

  /** The field holds a length and then bytes: a message, text, bytes or numbers one after the other. */
  get isPacked(): boolean {
    return this.#wire === LENGTH_DELIMITED;
  }

  /** Enters the field; where it ends. */
  message(): number {
    if (this.#wire !== LENGTH_DELIMITED) this.#fail();
    return this.delimited();
  }

  /** Enters a message behind its length, outside of any field; where it ends. */
  delimited(): number {
    const end = this.#size() + this.at;
    if (end > this.#bytes.length) this.#fail();
    return end;
  }

  view(): Uint8Array {
    const end = this.message();
    const view = this.#bytes.subarray(this.at, end);
    this.at = end;
    return view;
  }

  text(): string {
    const end = this.message();
    const text = this.#text.toString('utf8', this.at, end);
    this.at = end;
    return text;
  }

  /** All floats up to `end`. */
  floats(end: number): Float32Array {
    if ((end - this.at) % 4 !== 0) this.#fail();
    const floats = new Float32Array((end - this.at) / 4);
    if (LITTLE_ENDIAN && floats.length >= LEAST_COPIED) {
      new Uint8Array(floats.buffer).set(this.#bytes.subarray(this.at, end));
      this.at = end;
      return floats;
    }
    for (let i = 0; i < floats.length; i++) floats[i] = this.float();
    return floats;
  }

  float(): number {
    if (this.at + 4 > this.#bytes.length) this.#fail();
    const value = this.#floats.getFloat32(this.at, true);
    this.at += 4;
    return value;
  }

  singleFloat(): number {
    if (this.#wire !== FIXED_32) this.#fail();
    return this.float();
  }

  singleInt64(): number {
    if (this.#wire !== VARINT) this.#fail();
    return this.int64();
  }

  /** All whole numbers up to `end`, rounded where they are not safe integers. */
  int64s(end: number, into: number[]): void {
    const bytes = this.#bytes;
    while (this.at < end) {
      // Most numbers take one to three bytes. What lies past the end counts as the last byte and is found out by `end`.
      const first = bytes[this.at] ?? 0;
      const second = first < 128 ? 0 : (bytes[this.at + 1] ?? 0);
      const third = second < 128 ? 0 : (bytes[this.at + 2] ?? 0);
      if (third < 128) {
        into.push((first & 127) | ((second & 127) << 7) | (third << 14));
        this.at += first < 128 ? 1 : second < 128 ? 2 : 3;
      } else {
        into.push(this.int64());
      }
    }
  }

  /** Rounded where it is not a safe integer. */
  int64(): number {
    this.#varint();
    const value = this.#high * 2 ** 32 + this.#low;
    this.rounded ||= !Number.isSafeInteger(value);
    return value;
  }

  singleBigInt64(): bigint {
    if (this.#wire !== VARINT) this.#fail();
    return this.bigInt64();
  }

  bigInt64s(end: number, into: bigint[]): void {
    while (this.at < end) into.push(this.bigInt64());
  }

  bigInt64(): bigint {
    this.#varint();
    return (BigInt(this.#high) << 32n) | BigInt(this.#low);
  }

  skip(): void {
    if (this.#wire === VARINT) this.#varint();
    else if (this.#wire === FIXED_64) this.at += 8;
    else if (this.#wire === FIXED_32) this.at += 4;
    else this.at = this.message();
  }

  /** A length or tag: never negative, never so large that it could not be an offset. */
  #size(): number {
    this.#varint();
    if (this.#high !== 0) this.#fail();
    return this.#low;
  }

  /** Sets the two halves of the next number: the low one unsigned, the high one signed. */
  #varint(): void {
    const bytes = this.#bytes;
    let byte = this.#byte(bytes);
    let low = byte & 127;
    for (let shift = 7; byte > 127 && shift < 28; shift += 7) {
      byte = this.#byte(bytes);
      low |= (byte & 127) << shift;
    }
    this.#high = 0;
    if (byte > 127) {
      byte = this.#byte(bytes);
      low |= (byte & 127) << 28;
      this.#high = (byte & 127) >>> 4;
      for (let shift = 3; byte > 127; shift += 7) {
        // The tenth byte holds the sign.
        if (shift > 31) this.#fail();
        byte = this.#byte(bytes);
        this.#high |= (byte & 127) << shift;
      }
    }
    this.#low = low >>> 0;
  }

  #byte(bytes: Uint8Array): number {
    const byte = bytes[this.at++];
    return byte === undefined ? this.#fail() : byte;
  }

  #fail(): never {
    const { length } = this.#bytes;
    const what = `${length} bytes are not ${this.#what}: see byte ${Math.min(this.at, length)}`;
    throw new VenturiError('VENTURI_BAD_RECORD', what, {
      remedy: 'check which message the records hold, and whether they are compressed or encrypted themselves',
    });
  }
}
