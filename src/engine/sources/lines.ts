import type { ByteWindow } from '../../io/input/byte-window.ts';
import { isNamedCompressed } from '../../io/input/compression.ts';
import { entryOf, sizeOf } from '../../io/input/file-entry.ts';
import { FileReader } from '../../io/input/file-reader.ts';
import { InputFile } from '../../io/input/input-file.ts';
import { type GiveUp, isLoss, type Loss } from '../../io/input/loss.ts';
import { VenturiError } from '../../model/errors.ts';
import { type OpenSource, PART_BYTES, readingFiles, type SourceReader } from '../contract/source.ts';
import type { Pipeline } from '../description/pipeline.ts';
import { type Cut, type FilePart, partsOf } from './file-parts.ts';
import { fileSource } from './file-source.ts';
import type { FileSourceOptions } from './loss-policy.ts';

/** The lines of text files, compressed or not, one after the other, without their line ends. */
export function lines(paths: string | readonly string[], options: FileSourceOptions = {}): Pipeline<string> {
  return fileSource(
    'lines',
    paths,
    options,
    openLines(text => text),
  );
}

/** The values of JSON Lines files, compressed or not. Blank lines are passed over. */
export function jsonl<T = unknown>(paths: string | readonly string[], options: FileSourceOptions = {}): Pipeline<T> {
  const parse: ParseLine = (text, where) => {
    if (text.trim() === '') return undefined;
    try {
      return JSON.parse(text);
    } catch (error) {
      throw new VenturiError('VENTURI_BAD_RECORD', `${where()} is not JSON: ${(error as Error).message}`, {
        cause: error,
        remedy: 'correct the line or remove it',
      });
    }
  };
  return fileSource('jsonl', paths, options, openLines(parse));
}

/** undefined: not an element. */
type ParseLine = (text: string, where: () => string) => unknown;

const LINE_FEED = 10;
const RETURN = 13;
const EMPTY = Buffer.alloc(0);

/** The lines of a file that begin from byte `from` on and before byte `to`. */
interface LinePart {
  readonly path: string;
  readonly from: number;
  readonly to: number;
}

const whole = (path: string): LinePart => ({ path, from: 0, to: Number.POSITIVE_INFINITY });

const linesOf = ({ path, from, to }: FilePart): LinePart => ({ path, from: typeof from === 'number' ? from : 0, to });

const openLines =
  (parse: ParseLine) =>
  (paths: readonly string[], lenient: boolean): OpenSource =>
    readingFiles(
      ({ from, giveUp }) =>
        new LineReader(paths.map(whole), parse, from as SavedLines | undefined, lenient ? giveUp : undefined),
      () => paths,
      {
        lenient,
        // A compressed file would be one part, whose reader has to wait for all parts before it: no gain.
        divided: paths.some(isNamedCompressed)
          ? undefined
          : { parts: () => partsOf(paths, { cuts }), read: part => new LineReader([linesOf(part as FilePart)], parse) },
      },
    );

/** Boundaries of parts may lie inside a line: the reader of a part skips to the first line that begins in it. */
function* cuts({ file }: ByteWindow): Iterable<Cut> {
  const size = file.remaining ?? 0;
  for (let offset = PART_BYTES; offset < size; offset += PART_BYTES) yield { offset, position: offset };
}

/** Where a reader was: in which part, at which byte of its file, decompressed, behind how many lines. */
interface SavedLines {
  readonly part: number;
  readonly offset: number;
  readonly line: number;
}

/** Splits bytes at line feeds and decodes whole lines only, so a character is never cut in two. */
class LineReader implements SourceReader {
  readonly #parts: readonly LinePart[];
  readonly #parse: ParseLine;
  readonly #giveUp: GiveUp | undefined;
  readonly #sizes: readonly number[];
  readonly #total: number;
  #before = 0;
  #next = 0;
  #file: FileReader | undefined;
  #piece: Buffer = EMPTY;
  #at = 0;
  /** What was read of a line that goes on, piece by piece: it is put together once, when all of it is there. */
  #rest: Buffer[] = [];
  #line = 0;
  #path = '';
  /** Where lines that begin are no longer this part's. */
  #to = Number.POSITIVE_INFINITY;
  /** Where the part begins. */
  #from = 0;
  #done = 0;
  /** Where in the first part to begin, in a run that is resumed. */
  #resumed: SavedLines | undefined;

  /** `giveUp`: what cannot be read is left out. */
  constructor(parts: readonly LinePart[], parse: ParseLine, from?: SavedLines, giveUp?: GiveUp) {
    this.#parts = parts;
    this.#giveUp = giveUp;
    this.#parse = parse;
    this.#resumed = from;
    this.#next = from?.part ?? 0;
    const sizes = parts.map(({ path }) => (giveUp === undefined ? entryOf(path).size : sizeOf(path)));
    const sum = (some: readonly number[]): number => some.reduce((total, size) => total + size, 0);
    this.#sizes = sizes;
    this.#total = sum(sizes);
    this.#before = sum(sizes.slice(0, this.#next));
  }

  position(): SavedLines {
    const file = this.#file;
    // Not opened yet: it is still where it was told to begin.
    if (file === undefined) return this.#resumed ?? { part: this.#next, offset: 0, line: 0 };
    return { part: this.#next - 1, offset: file.position - (this.#piece.length - this.#at), line: this.#line };
  }

  read(into: unknown[], limit: number): number {
    let read = 0;
    while (read < limit) {
      let isRead = false;
      try {
        const text = this.#nextLine();
        if (text === undefined) break;
        isRead = true;
        const value = this.#parse(text, this.#where);
        if (value === undefined) continue;
        into.push(value);
        read++;
      } catch (error) {
        this.#lose(error, isRead ? 'record' : 'file');
      }
    }
    return read;
  }

  /** Goes on behind the line, or behind the file, where that is wanted. */
  #lose(error: unknown, what: Loss['what']): void {
    if (this.#giveUp === undefined || !isLoss(error)) throw error;
    this.#giveUp({ what, path: this.#path, error });
    if (what === 'record') return;
    this.#rest = [];
    if (this.#file !== undefined) this.#finish(this.#file);
    else this.#before += this.#sizes[this.#next - 1] ?? 0;
  }

  /** The number of a line is not known to whoever has not read those before it. */
  readonly #where = (): string =>
    this.#from === 0 ? `${this.#path}:${this.#line}` : `${this.#path}: a line behind byte ${this.#from}`;

  #nextLine(): string | undefined {
    for (;;) {
      const file = this.#file ?? this.#openNext();
      if (file === undefined) return undefined;
      if (this.#rest.length === 0 && file.position - this.#piece.length + this.#at >= this.#to) {
        this.#finish(file);
        continue;
      }
      const end = this.#piece.indexOf(LINE_FEED, this.#at);
      if (end >= 0) {
        const start = this.#at;
        this.#at = end + 1;
        return this.#rest.length === 0
          ? this.#text(this.#piece, start, end)
          : this.#joined(this.#piece.subarray(start, end));
      }
      if (this.#at < this.#piece.length) this.#rest.push(Buffer.from(this.#piece.subarray(this.#at)));
      this.#piece = file.next();
      this.#at = 0;
      if (this.#piece.length > 0) continue;
      const last = this.#rest.length > 0 ? this.#joined(this.#piece) : undefined;
      this.#finish(file);
      if (last !== undefined) return last;
    }
  }

  #finish(file: FileReader): void {
    this.#before += file.size;
    this.close();
    this.#piece = EMPTY;
    this.#at = 0;
  }

  /** A line that began in the piece before. */
  #joined(bytes: Buffer): string {
    const whole = Buffer.concat([...this.#rest, bytes]);
    this.#rest = [];
    return this.#text(whole, 0, whole.length);
  }

  #text(bytes: Buffer, start: number, end: number): string {
    this.#line++;
    return bytes.toString('utf8', start, end > start && bytes[end - 1] === RETURN ? end - 1 : end);
  }

  #openNext(): FileReader | undefined {
    const part = this.#parts[this.#next++];
    if (part === undefined) return undefined;
    const begin = this.#resumed;
    this.#resumed = undefined;
    this.#line = begin?.line ?? 0;
    this.#path = part.path;
    this.#to = part.to;
    this.#from = part.from;
    this.#file = new FileReader(new InputFile(part.path));
    this.#piece = EMPTY;
    this.#at = 0;
    if (begin !== undefined && begin.offset > 0) this.#file.seek(begin.offset);
    else if (part.from > 0) this.#skipToLine(this.#file, part.from);
    return this.#file;
  }

  /** To the first line that begins from byte `from` on: the one that byte before it may belong to another part. */
  #skipToLine(file: FileReader, from: number): void {
    file.seek(from - 1);
    for (;;) {
      this.#piece = file.next();
      this.#at = this.#piece.indexOf(LINE_FEED) + 1;
      if (this.#at > 0 || this.#piece.length === 0) return;
      if (file.position < this.#to) continue;
      // No line begins in this part. Where the next one does is for others to find.
      this.#at = this.#piece.length;
      return;
    }
  }

  done(): number {
    // What was read ahead is not done: it has not become lines yet. How far that is in a compressed file is a guess, which may fall.
    const { position = 0, stored = 0 } = this.#file ?? {};
    const used = position > 0 ? 1 - (this.#piece.length - this.#at) / position : 0;
    this.#done = Math.max(this.#done, (this.#before + stored * used) / Math.max(1, this.#total));
    return this.#done;
  }

  close(): void {
    this.#file?.close();
    this.#file = undefined;
  }
}
