import { RECORD_BYTES, RECORD_KIND, TEXT_BYTES, TEXT_LAST, writeRecord } from '../model/record.ts';

/** Text records one dictionary entry may take: 57,344 bytes of UTF-8. Longer keys are cut. */
const MAX_TEXT_PARTS = 4096;

/** An entry's text cut into what its records hold; an empty text still takes one. */
export function textParts(text: string): Uint8Array[] {
  // A zero byte pads the last part, so the text itself holds none.
  const bytes = new TextEncoder().encode(text.replaceAll('\0', '\ufffd')).subarray(0, MAX_TEXT_PARTS * TEXT_BYTES);
  const parts: Uint8Array[] = [];
  do parts.push(bytes.subarray(parts.length * TEXT_BYTES, (parts.length + 1) * TEXT_BYTES));
  while (parts.length * TEXT_BYTES < bytes.length);
  return parts;
}

/** Writes part `index` of an entry as the record at word `at`; `bytes` shows the same memory. */
export function writeTextPart(
  words: Uint32Array,
  bytes: Uint8Array,
  at: number,
  number: number,
  parts: readonly Uint8Array[],
  index: number,
): void {
  writeRecord(words, at, RECORD_KIND.text, index === parts.length - 1 ? TEXT_LAST : 0, number, index, 0, 0);
  bytes.set(parts[index] ?? [], at * 4);
}

export interface TextEntry {
  readonly number: number;
  readonly text: string;
}

/** Puts entries together from the text records of one lane, in the order they stand in the file. */
export class TextAssembler {
  #number = -1;
  #parts: Uint8Array[] = [];

  /** Takes the text record at byte `at`; gives the entry once its last part is there. */
  accept(bytes: Uint8Array, at: number): TextEntry | undefined {
    const view = new DataView(bytes.buffer, bytes.byteOffset + at, RECORD_BYTES);
    const number = view.getUint32(16, true);
    const part = view.getUint32(20, true);
    if (part === 0) {
      this.#number = number;
      this.#parts = [];
    }
    // Parts that do not follow on each other come from damage: the entry stays unnamed.
    if (number !== this.#number || part !== this.#parts.length || part >= MAX_TEXT_PARTS) return undefined;
    this.#parts.push(bytes.slice(at, at + TEXT_BYTES));
    if ((view.getUint8(15) & TEXT_LAST) === 0) return undefined;
    const whole = new Uint8Array(this.#parts.length * TEXT_BYTES);
    for (const [index, piece] of this.#parts.entries()) whole.set(piece, index * TEXT_BYTES);
    this.#parts = [];
    this.#number = -1;
    const end = whole.indexOf(0);
    return {
      number,
      text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(end === -1 ? whole : whole.subarray(0, end)),
    };
  }
}
