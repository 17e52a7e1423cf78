import { VenturiError } from '../../model/errors.ts';
import type { ByteWindow } from '../input/byte-window.ts';

const LINE_FEED = 10;
const RETURN = 13;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf] as const;

/** A quote that is never closed would make one row of the rest of the file. */
const MOST_ROW_BYTES = 16 * 1024 * 1024;

const FIRST_FIELDS = 64;

/** Marks of a field: it holds doubled quotes; it holds bytes that are not ASCII. */
const DOUBLED = 1;
const NOT_ASCII = 128;

/** How fields are told apart. Each is one ASCII character; -1 is no character. */
export interface Dialect {
  readonly delimiter: number;
  readonly quote: number;
}

export interface ScannerPosition {
  readonly offset: number;
  readonly line: number;
}

/** What looking for a row's end came to. 'cut': the window ends first. */
type Outcome = 'row' | 'blank' | 'cut' | 'unclosed' | 'afterQuote';

/**
 * Finds rows and fields (RFC 4180) in bytes. One scan notes where fields lie; text is made a row at a time, so that a
 * field that is kept holds on to its row and to nothing more. Lone returns end rows too, as Python's csv has it.
 */
export class CsvScanner {
  readonly #window: ByteWindow;
  readonly #delimiter: number;
  readonly #quote: number;
  readonly #quoteText: string;
  #text: Buffer;
  #starts = new Int32Array(FIRST_FIELDS);
  #ends = new Int32Array(FIRST_FIELDS);
  #marks = new Int32Array(FIRST_FIELDS);
  #count = 0;
  #start = 0;
  #end = 0;
  #whole = false;
  #line = 1;
  #nextLine = 1;

  constructor(window: ByteWindow, dialect: Dialect) {
    this.#window = window;
    this.#delimiter = dialect.delimiter;
    this.#quote = dialect.quote;
    this.#quoteText = dialect.quote < 0 ? '' : String.fromCharCode(dialect.quote);
    this.#text = textOf(window.bytes);
    this.#skipMark();
    this.#markEnd();
  }

  /** Where the next row begins. */
  position(): ScannerPosition {
    return { offset: this.#window.offset, line: this.#nextLine };
  }

  /** Goes on to a row that lies ahead. */
  seek({ offset, line }: ScannerPosition): void {
    this.#window.seek(offset);
    this.#nextLine = line;
    this.#markEnd();
  }

  /** The line of the file the row starts at, from 1. */
  get line(): number {
    return this.#line;
  }

  /** Goes to the next row that is not blank and says how many fields it has; 0 at the end of the file. */
  next(): number {
    for (;;) {
      const outcome = this.#scan();
      if (outcome === 'row') return this.#count;
      if (outcome === 'blank') continue;
      if (outcome === 'unclosed') throw this.#bad(`opens a quote (${this.#quoteText}) that is not closed`);
      if (outcome === 'afterQuote') throw this.#bad('has text after a closing quote');
      if (this.#whole) return 0;
      if (this.#window.end - this.#window.at > MOST_ROW_BYTES) {
        throw this.#bad('starts a row of more than 16 MiB; a quote may not be closed');
      }
      this.#whole = !this.#window.more();
      this.#markEnd();
    }
  }

  /** Puts the row's fields into `fields`, which has as many slots. */
  fields(fields: string[]): void {
    const from = this.#start;
    const row = this.#text.toString('latin1', from, this.#end);
    for (let i = 0; i < this.#count; i++) {
      const start = this.#starts[i] as number;
      const end = this.#ends[i] as number;
      const mark = this.#marks[i] as number;
      // ASCII is the same in Latin-1, which is made faster.
      const field = mark < NOT_ASCII ? row.slice(start - from, end - from) : this.#text.toString('utf8', start, end);
      fields[i] = (mark & DOUBLED) === 0 ? field : field.replaceAll(this.#quoteText.repeat(2), this.#quoteText);
    }
  }

  /** The byte after the last is a line feed, so that the loops below need to look for the end at line feeds only. */
  #markEnd(): void {
    const { bytes, end } = this.#window;
    bytes[end] = LINE_FEED;
    if (this.#text.buffer !== bytes.buffer) this.#text = textOf(bytes);
  }

  #scan(): Outcome {
    const window = this.#window;
    const { bytes, at: from, end } = window;
    const whole = this.#whole;
    const delimiter = this.#delimiter;
    const quote = this.#quote;
    let starts = this.#starts;
    let ends = this.#ends;
    let marks = this.#marks;
    let count = 0;
    let breaks = 1;
    let i = from;
    if (i === end) return 'cut';
    this.#line = this.#nextLine;
    for (;;) {
      let byte = bytes[i] as number;
      let high = 0;
      let doubled = 0;
      const quoted = byte === quote;
      if (quoted) i++;
      const start = i;
      if (quoted) {
        for (;;) {
          byte = bytes[i] as number;
          if (byte === quote) {
            if (i + 1 === end && !whole) return 'cut';
            if (bytes[i + 1] !== quote) break;
            doubled = DOUBLED;
            i += 2;
          } else {
            if (byte === LINE_FEED) {
              if (i === end) return whole ? 'unclosed' : 'cut';
              breaks++;
            }
            high |= byte;
            i++;
          }
        }
      } else {
        while (byte !== delimiter && byte !== LINE_FEED && byte !== RETURN) {
          high |= byte;
          byte = bytes[++i] as number;
        }
      }
      if (count === starts.length) {
        starts = this.#starts = widened(starts);
        ends = this.#ends = widened(ends);
        marks = this.#marks = widened(marks);
      }
      starts[count] = start;
      ends[count] = i;
      marks[count++] = (high & NOT_ASCII) | doubled;
      if (quoted) byte = bytes[++i] as number;
      if (i === end && !whole) return 'cut';
      if (byte === delimiter) {
        i++;
        continue;
      }
      if (byte !== LINE_FEED && byte !== RETURN) return 'afterQuote';
      if (byte === RETURN && i + 1 === end && !whole) return 'cut';
      this.#end = i;
      i += byte === RETURN && bytes[i + 1] === LINE_FEED ? 2 : 1;
      window.at = Math.min(i, end);
      this.#nextLine += breaks;
      this.#start = from;
      this.#count = count;
      return count === 1 && !quoted && this.#end === from ? 'blank' : 'row';
    }
  }

  #skipMark(): void {
    const window = this.#window;
    const reached = window.reach(3);
    const [first, second, third] = window.bytes.subarray(window.at, window.end);
    if (reached && first === BYTE_ORDER_MARK[0] && second === BYTE_ORDER_MARK[1] && third === BYTE_ORDER_MARK[2]) {
      window.at += BYTE_ORDER_MARK.length;
    } else if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
      throw new VenturiError('VENTURI_BAD_RECORD', `${window.file.path} is UTF-16`, {
        remedy: 'convert it to UTF-8: iconv -f UTF-16 -t UTF-8',
      });
    }
  }

  #bad(what: string): VenturiError {
    return new VenturiError('VENTURI_BAD_RECORD', `${this.#window.file.path}:${this.#line} ${what}`, {
      remedy: 'double the quotes inside a quoted field, or pass quote: false where the file has no quoted fields',
    });
  }
}

const textOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.length);

function widened(numbers: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const wider = new Int32Array(numbers.length * 2);
  wider.set(numbers);
  return wider;
}
