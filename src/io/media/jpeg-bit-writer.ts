/** Bytes that grow, and bits behind them as a scan has them: a byte 0xff is followed by a zero. */
export class JpegBitWriter {
  #bytes: Uint8Array;
  #length = 0;
  #bits = 0;
  /** Fewer than 8. */
  #count = 0;

  constructor(expectedBytes: number) {
    this.#bytes = new Uint8Array(expectedBytes + 1024);
  }

  bytes(bytes: Iterable<number>): void {
    for (const byte of bytes) this.#byte(byte);
  }

  /** The lowest bits of a number, at most 16. */
  bits(value: number, count: number): void {
    this.#bits = (this.#bits << count) | (value & ((1 << count) - 1));
    this.#count += count;
    while (this.#count >= 8) {
      this.#count -= 8;
      const byte = (this.#bits >> this.#count) & 255;
      this.#byte(byte);
      if (byte === 0xff) this.#byte(0);
    }
  }

  /** Ends the last byte with ones. */
  fill(): void {
    if (this.#count > 0) this.bits(0xff, 8 - this.#count);
  }

  /** All of it in memory of its own size. */
  taken(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  #byte(byte: number): void {
    if (this.#length === this.#bytes.length) {
      const larger = new Uint8Array(2 * this.#bytes.length);
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    this.#bytes[this.#length++] = byte;
  }
}
