/** A longer text is cut: what is printed of a name is far shorter. */
const LONGEST_TEXT_BYTES = 2048;
const FIRST_SLOTS = 4096;
const NO_TEXT = -1;

/**
 * Texts of a file by number, each kept once. They are looked up by their bytes, so that of the million times that a kernel's name stands in a
 * trace only the first makes a string.
 */
export class TextTable {
  #bytes = new Uint8Array(FIRST_SLOTS);
  /** Where text n begins in `#bytes`; the next one's beginning is its end. */
  readonly #starts = [0];
  readonly #hashes: number[] = [];
  #slots = new Int32Array(FIRST_SLOTS).fill(NO_TEXT);

  get count(): number {
    return this.#hashes.length;
  }

  /** Number of the text in these bytes, which are UTF-8 without escapes. */
  number(source: Uint8Array, start: number, end: number): number {
    const last = Math.min(end, start + LONGEST_TEXT_BYTES);
    // FNV-1a.
    let hash = 0x811c9dc5;
    for (let at = start; at < last; at++) hash = Math.imul(hash ^ (source[at] as number), 0x01000193);
    const mask = this.#slots.length - 1;
    for (let slot = (hash ^ (hash >>> 15)) & mask; ; slot = (slot + 1) & mask) {
      const number = this.#slots[slot] as number;
      if (number === NO_TEXT) return this.#add(source, start, last, hash, slot);
      if (this.#hashes[number] === hash && this.#isSame(number, source, start, last)) return number;
    }
  }

  text(number: number): string {
    const decoder = new TextDecoder();
    return decoder.decode(this.#bytes.subarray(this.#starts[number], this.#starts[number + 1]));
  }

  #isSame(number: number, source: Uint8Array, start: number, end: number): boolean {
    const from = this.#starts[number] as number;
    if ((this.#starts[number + 1] as number) - from !== end - start) return false;
    for (let at = start; at < end; at++) if (source[at] !== this.#bytes[from + at - start]) return false;
    return true;
  }

  #add(source: Uint8Array, start: number, end: number, hash: number, slot: number): number {
    const from = this.#starts.at(-1) as number;
    const to = from + end - start;
    if (to > this.#bytes.length) {
      const larger = new Uint8Array(2 * to);
      larger.set(this.#bytes.subarray(0, from));
      this.#bytes = larger;
    }
    this.#bytes.set(source.subarray(start, end), from);
    this.#starts.push(to);
    const number = this.#hashes.push(hash) - 1;
    this.#slots[slot] = number;
    if (2 * this.count > this.#slots.length) this.#grow();
    return number;
  }

  #grow(): void {
    const slots = new Int32Array(2 * this.#slots.length).fill(NO_TEXT);
    const mask = slots.length - 1;
    for (const [number, hash] of this.#hashes.entries()) {
      let slot = (hash ^ (hash >>> 15)) & mask;
      while (slots[slot] !== NO_TEXT) slot = (slot + 1) & mask;
      slots[slot] = number;
    }
    this.#slots = slots;
  }
}
