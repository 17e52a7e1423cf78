import { VenturiError } from '../../model/errors.ts';
import { type OperatorOptions, type Pipeline, sourcePipeline } from '../api/pipeline.ts';
import { describePaths } from './describe-paths.ts';
import { entryOf } from './file-entry.ts';
import { FileReader } from './file-reader.ts';
import { type OpenSource, readingFiles, type SourceReader } from './source.ts';

/** The lines of text files, one after the other, without their line ends. */
export function lines(paths: string | readonly string[], options: OperatorOptions = {}): Pipeline<string> {
  const list = typeof paths === 'string' ? [paths] : paths;
  return sourcePipeline(
    'lines',
    { ...describePaths(list) },
    openLines(list, text => text),
    options,
  );
}

/** The values of JSON Lines files. Blank lines are passed over. */
export function jsonl<T = unknown>(paths: string | readonly string[], options: OperatorOptions = {}): Pipeline<T> {
  const list = typeof paths === 'string' ? [paths] : paths;
  const parse: ParseLine = (text, path, line) => {
    if (text.trim() === '') return undefined;
    try {
      return JSON.parse(text);
    } catch (error) {
      throw new VenturiError('VENTURI_BAD_RECORD', `${path}:${line} is not JSON: ${(error as Error).message}`, {
        cause: error,
        remedy: 'correct the line or remove it',
      });
    }
  };
  return sourcePipeline('jsonl', { ...describePaths(list) }, openLines(list, parse), options);
}

/** undefined: not an element. */
type ParseLine = (text: string, path: string, line: number) => unknown;

const LINE_FEED = 10;
const RETURN = 13;

const openLines = (paths: readonly string[], parse: ParseLine): OpenSource =>
  readingFiles(
    ({ from }) => new LineReader(paths, parse, from as SavedLines | undefined),
    () => paths,
  );

interface SavedLines {
  readonly file: number;
  readonly offset: number;
  readonly line: number;
}

/** Splits bytes at line feeds and decodes whole lines only, so a character is never cut in two. */
class LineReader implements SourceReader {
  readonly #paths: readonly string[];
  readonly #parse: ParseLine;
  readonly #total: number;
  #before = 0;
  #next = 0;
  #file: FileReader | undefined;
  #piece: Buffer = Buffer.alloc(0);
  #at = 0;
  #rest: Buffer = Buffer.alloc(0);
  #line = 0;
  #path = '';

  /** Where in the first file to begin. */
  #from: SavedLines | undefined;

  constructor(paths: readonly string[], parse: ParseLine, from: SavedLines | undefined) {
    this.#paths = paths;
    this.#parse = parse;
    this.#total = paths.reduce((sum, path) => sum + entryOf(path).size, 0);
    this.#from = from;
    this.#next = from?.file ?? 0;
    this.#before = paths.slice(0, this.#next).reduce((sum, path) => sum + entryOf(path).size, 0);
  }

  position(): SavedLines {
    const file = this.#file;
    // Not opened yet: it is still where it was told to begin.
    if (file === undefined) return this.#from ?? { file: this.#next, offset: 0, line: 0 };
    return { file: this.#next - 1, offset: file.position - (this.#piece.length - this.#at), line: this.#line };
  }

  read(into: unknown[], limit: number): number {
    let read = 0;
    while (read < limit) {
      const text = this.#nextLine();
      if (text === undefined) break;
      const value = this.#parse(text, this.#path, this.#line);
      if (value === undefined) continue;
      into.push(value);
      read++;
    }
    return read;
  }

  #nextLine(): string | undefined {
    for (;;) {
      const file = this.#file ?? this.#openNext();
      if (file === undefined) return undefined;
      const end = this.#piece.indexOf(LINE_FEED, this.#at);
      if (end >= 0) {
        const start = this.#at;
        this.#at = end + 1;
        return this.#rest.length === 0
          ? this.#text(this.#piece, start, end)
          : this.#joined(this.#piece.subarray(start, end));
      }
      if (this.#at < this.#piece.length) this.#rest = Buffer.concat([this.#rest, this.#piece.subarray(this.#at)]);
      this.#piece = file.next();
      this.#at = 0;
      if (this.#piece.length > 0) continue;
      const last = this.#rest.length > 0 ? this.#joined(this.#piece) : undefined;
      this.#before += file.size;
      file.close();
      this.#file = undefined;
      if (last !== undefined) return last;
    }
  }

  /** A line that began in the piece before. */
  #joined(bytes: Buffer): string {
    const whole = Buffer.concat([this.#rest, bytes]);
    this.#rest = Buffer.alloc(0);
    return this.#text(whole, 0, whole.length);
  }

  #text(bytes: Buffer, start: number, end: number): string {
    this.#line++;
    return bytes.toString('utf8', start, end > start && bytes[end - 1] === RETURN ? end - 1 : end);
  }

  #openNext(): FileReader | undefined {
    const path = this.#paths[this.#next++];
    if (path === undefined) return undefined;
    this.#line = this.#from?.line ?? 0;
    this.#path = path;
    this.#file = new FileReader(path);
    this.#file.position = this.#from?.offset ?? 0;
    this.#from = undefined;
    this.#piece = Buffer.alloc(0);
    this.#at = 0;
    return this.#file;
  }

  done(): number {
    return (this.#before + (this.#file?.position ?? 0)) / Math.max(1, this.#total);
  }

  close(): void {
    this.#file?.close();
    this.#file = undefined;
  }
}
