import { VenturiError } from '../../model/errors.ts';

export interface ByteTokenizerOptions {
  /** The id of every token that the vocabulary lacks; 0 unless told. */
  readonly unknown?: number;
  /** Take A to Z for a to z before looking up. Other alphabets are left as they are. */
  readonly lowercase?: boolean;
}

/** White space is ASCII's: a no-break space, say, is beyond ASCII and belongs to a word. */
const isSpace = (byte: number): boolean => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
const isWord = (byte: number): boolean => byte >= 0x80 || /[0-9A-Za-z]/.test(String.fromCharCode(byte));
const lowered = (byte: number): number => (byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte);

/** What a byte is, in the bits above the byte that it is looked up as. */
const SPACE = 0x100;
const WORD = 0x200;

function byteTable(lowercase: boolean): Uint16Array {
  return Uint16Array.from({ length: 256 }, (_, byte) => {
    const kind = isSpace(byte) ? SPACE : isWord(byte) ? WORD : 0;
    return kind | (lowercase ? lowered(byte) : byte);
  });
}

/** FNV-1a, 32 bits. */
const HASH_START = 0x811c9dc5 | 0;
const HASH_FACTOR = 0x01000193;

/** A slot of the hash table is four numbers side by side, so that one line of the CPU's cache holds it. */
const HASH = 0;
const START = 1;
const LENGTH = 2;
const ID = 3;
const SLOT = 4;

/**
 * Text to ids, without a string for any token. A token is a word, that is a run of ASCII letters, ASCII digits and whatever
 * lies beyond ASCII, or any other single character; white space only parts them. Text given as bytes is taken for UTF-8.
 * A vocabulary given as a list numbers its tokens from 0; where one comes twice, the later number counts.
 */
export class ByteTokenizer {
  /** The vocabulary's tokens end to end. */
  readonly #vocabulary: Uint8Array;
  /** Open addressing with linear probing, at most half full. A slot of no length is free. */
  readonly #slots: Int32Array;
  readonly #unknown: number;
  readonly #table: Uint16Array;
  readonly #encoder = new TextEncoder();
  /** Room for a text's bytes and for its ids, kept from call to call. */
  #text = new Uint8Array(0);
  #found = new Int32Array(0);

  constructor(vocabulary: ReadonlyMap<string, number> | readonly string[], options: ByteTokenizerOptions = {}) {
    const entries = isList(vocabulary) ? vocabulary.map((token, id) => [token, id] as const) : [...vocabulary];
    const tokens = entries.map(([token]) => this.#encoder.encode(token));
    this.#vocabulary = new Uint8Array(tokens.reduce((sum, token) => sum + token.length, 0));
    this.#slots = new Int32Array(SLOT * 2 ** Math.ceil(Math.log2(2 * tokens.length + 2)));
    this.#unknown = idOf(options.unknown ?? 0, 'unknown');
    this.#table = byteTable(options.lowercase === true);
    const plain = byteTable(false);
    let start = 0;
    for (const [i, [name, id]] of entries.entries()) {
      const token = tokens[i] as Uint8Array;
      const hash = token.reduce((before, byte) => Math.imul(before ^ byte, HASH_FACTOR), HASH_START);
      this.#vocabulary.set(token, start);
      const slot = this.#slotOf(hash, token, 0, token.length, plain);
      this.#slots.set([hash, start, token.length, idOf(id, `token '${name}'`)], slot);
      start += token.length;
    }
  }

  encode(text: string | Uint8Array): Int32Array {
    const end = typeof text === 'string' ? this.#utf8(text) : text.length;
    const bytes = typeof text === 'string' ? this.#text : text;
    if (this.#found.length < end) this.#found = new Int32Array(end);
    const found = this.#found;
    const table = this.#table;
    const slots = this.#slots;
    let count = 0;
    for (let at = 0; at < end; ) {
      const start = at;
      let byte = table[bytes[at++] as number] as number;
      if ((byte & SPACE) !== 0) continue;
      let hash = Math.imul(HASH_START ^ (byte & 0xff), HASH_FACTOR);
      if ((byte & WORD) !== 0) {
        for (; at < end; at++) {
          byte = table[bytes[at] as number] as number;
          if ((byte & WORD) === 0) break;
          hash = Math.imul(hash ^ (byte & 0xff), HASH_FACTOR);
        }
      }
      const slot = this.#slotOf(hash, bytes, start, at - start, table);
      found[count++] = slots[slot + LENGTH] === 0 ? this.#unknown : (slots[slot + ID] as number);
    }
    return found.slice(0, count);
  }

  /** The slot that holds these bytes, or the free one where they would go. */
  #slotOf(hash: number, bytes: Uint8Array, start: number, length: number, table: Uint16Array): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    // The lowest bits alone know too little of the first bytes.
    let slot = Math.imul(hash ^ (hash >>> 15), SLOT) & mask;
    for (;;) {
      const held = slots[slot + LENGTH] as number;
      if (held === 0) return slot;
      if (held === length && slots[slot + HASH] === hash) {
        const from = slots[slot + START] as number;
        if (isSame(this.#vocabulary, from, bytes, start, length, table)) return slot;
      }
      slot = (slot + SLOT) & mask;
    }
  }

  /** Writes the text's bytes to `#text` and says how many there are. */
  #utf8(text: string): number {
    // UTF-8 takes at most three bytes for each of a string's units.
    if (this.#text.length < text.length * 3) this.#text = new Uint8Array(text.length * 3);
    return this.#encoder.encodeInto(text, this.#text).written;
  }
}

function isSame(
  vocabulary: Uint8Array,
  from: number,
  bytes: Uint8Array,
  start: number,
  length: number,
  table: Uint16Array,
): boolean {
  for (let i = 0; i < length; i++) {
    if (vocabulary[from + i] !== ((table[bytes[start + i] as number] as number) & 0xff)) return false;
  }
  return true;
}

function isList(vocabulary: ReadonlyMap<string, number> | readonly string[]): vocabulary is readonly string[] {
  return Array.isArray(vocabulary);
}

function idOf(id: number, what: string): number {
  if (id === (id | 0)) return id;
  throw new VenturiError('VENTURI_BAD_OPTION', `ByteTokenizer: the id of ${what} is ${id}`, {
    remedy: 'give whole numbers of at most 32 bits',
  });
}
