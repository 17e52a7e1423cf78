/** Wire types of protobuf. */
const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
/** Bytes kept for the length of a message before it is known: a varint may have leading zeros. */
const LENGTH_BYTES = 4;
const FIRST_CAPACITY = 1 << 12;

/** Messages of protobuf, appended field by field to one growing buffer. Numbers are whole, not negative and below 2^53. */
export class ProtobufWriter {
  readonly #utf8: (text: string) => Uint8Array;
  #bytes = new Uint8Array(FIRST_CAPACITY);
  #length = 0;

  constructor(utf8: (text: string) => Uint8Array) {
    this.#utf8 = utf8;
  }

  number(field: number, value: number): this {
    this.#varint(field * 8 + VARINT);
    this.#varint(value);
    return this;
  }

  /** Two halves of 32 bits. */
  fixed64(field: number, high: number, low: number): this {
    this.#varint(field * 8 + FIXED64);
    this.#room(8);
    const view = new DataView(this.#bytes.buffer, this.#length, 8);
    view.setUint32(0, low, true);
    view.setUint32(4, high, true);
    this.#length += 8;
    return this;
  }

  text(field: number, text: string): this {
    const bytes = this.#utf8(text);
    this.#varint(field * 8 + BYTES);
    this.#varint(bytes.length);
    this.#room(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
    return this;
  }

  /** A message inside, whose fields `write` appends. */
  message(field: number, write: () => void): this {
    this.#varint(field * 8 + BYTES);
    this.#room(LENGTH_BYTES);
    const at = this.#length;
    this.#length += LENGTH_BYTES;
    write();
    let rest = this.#length - at - LENGTH_BYTES;
    for (let byte = 0; byte < LENGTH_BYTES; byte++) {
      this.#bytes[at + byte] = (rest & 127) | (byte < LENGTH_BYTES - 1 ? 128 : 0);
      rest >>>= 7;
    }
    return this;
  }

  packed(field: number, values: readonly number[]): this {
    return this.message(field, () => {
      for (const value of values) this.#varint(value);
    });
  }

  /** What was written since the last time. */
  take(): Uint8Array {
    const taken = this.#bytes.slice(0, this.#length);
    this.#length = 0;
    return taken;
  }

  #varint(value: number): void {
    this.#room(8);
    let rest = Math.max(0, Math.round(value));
    while (rest >= 128) {
      this.#bytes[this.#length++] = (rest % 128) + 128;
      rest = Math.floor(rest / 128);
    }
    this.#bytes[this.#length++] = rest;
  }

  #room(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return;
    const larger = new Uint8Array(2 * this.#bytes.length + bytes);
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}
