import { BLOCK, isZero, parseHeader, parsePax, parseText, type TarHeader } from '../../io/formats/tar-header.ts';
import type { ByteWindow } from '../../io/input/byte-window.ts';
import { VenturiError } from '../../model/errors.ts';
import type { Pipeline } from '../description/pipeline.ts';
import type { Cut } from './file-parts.ts';
import { fileSource } from './file-source.ts';
import { type FileElements, filesInTurn } from './files-in-turn.ts';
import type { FileSourceOptions } from './loss-policy.ts';

export interface TarEntry {
  /** Inside the archive. */
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** The files in tar archives, gzipped or not, one archive after the other. Folders and links are passed over. */
export function tar(paths: string | readonly string[], options: FileSourceOptions = {}): Pipeline<TarEntry> {
  const begin = () => ({ open: (window: ByteWindow, from: unknown) => entries(new TarFiles(window, from)) });
  return fileSource('tar', paths, options, filesInTurn({ begin, cuts }));
}

function* cuts(window: ByteWindow): Iterable<Cut> {
  const files = new TarFiles(window);
  while (files.next() !== undefined) yield { offset: files.start, position: files.start };
}

const entries = (files: TarFiles): FileElements => ({
  read(into, limit) {
    for (let read = 0; read < limit; read++) {
      const path = files.next();
      if (path === undefined) return read;
      into.push({ path, bytes: files.bytes() });
    }
    return limit;
  },
  position: () => files.position(),
});

/** What says more about the next entry is never long. */
const MOST_HEADER_BYTES = 1024 * 1024;

/** The files of one archive. */
export class TarFiles {
  readonly #window: ByteWindow;
  #path = '';
  /** Of the file that was last named and not read yet, and what fills its last block. */
  #size = 0;
  #padding = 0;
  #start = 0;
  #first = 0;

  /** `from`: where a header lies that is to be the first. */
  constructor(window: ByteWindow, from?: unknown) {
    this.#window = window;
    if (typeof from === 'number') window.seek(from);
  }

  /** Where the next header lies, and where that of the file `next` went to did, with what was said about it before. */
  position(): number {
    return this.#window.offset + this.#size + this.#padding;
  }

  get start(): number {
    return this.#first;
  }

  /** Goes to the next file; its path in the archive, or undefined at the end. */
  next(): string | undefined {
    let longPath: string | undefined;
    let pax: Map<string, string> | undefined;
    this.#first = this.position();
    for (;;) {
      this.#skip();
      const header = this.#header();
      if (header === undefined) return undefined;
      const { type } = header;
      this.#path = pax?.get('path') ?? longPath ?? header.path;
      this.#expect(type === '0' || type === '7' ? (paxSize(pax) ?? header.size) : header.size);
      if (type === 'L') longPath = parseText(this.#more());
      else if (type === 'x') pax = parsePax(this.#more()) ?? this.#fail('has a pax header that cannot be read');
      else if (isSparse(type, pax)) this.#fail('is sparse, which is not read');
      else if (type === '0' || type === '7') return this.#path;
      // A global header or a long link name comes between a file and what was said about it.
      else if (type !== 'g' && type !== 'K') longPath = pax = undefined;
    }
  }

  /** The bytes of the file `next` went to. */
  bytes(): Uint8Array {
    const bytes = this.#window.take(this.#size) ?? this.#fail('is cut off');
    this.#size = 0;
    return bytes;
  }

  fail(what: string, remedy: string): never {
    const place = `${this.#window.file.path}: ${this.#path === '' ? 'the entry' : this.#path} at byte ${this.#start}`;
    throw new VenturiError('VENTURI_BAD_RECORD', `${place} ${what}`, { remedy });
  }

  #fail(what: string): never {
    this.fail(what, 'fetch or pack the archive again; tar -tf tells whether it is whole');
  }

  #expect(size: number): void {
    this.#size = size;
    this.#padding = (BLOCK - (size % BLOCK)) % BLOCK;
  }

  #skip(): void {
    if (!this.#window.skip(this.#size + this.#padding)) this.#fail('is cut off');
    this.#expect(0);
  }

  #header(): TarHeader | undefined {
    const window = this.#window;
    this.#start = window.offset;
    this.#path = '';
    if (!window.reach(BLOCK)) {
      // Some programs leave out the zeros that end an archive; an archive of no bytes at all is a mistake.
      if (window.end === window.at && this.#start > 0) return undefined;
      this.#fail('is cut off');
    }
    const block = window.bytes.subarray(window.at, window.at + BLOCK);
    if (isZero(block)) {
      window.verify();
      return undefined;
    }
    const header = parseHeader(block);
    if (header === undefined) {
      this.#fail(this.#start === 0 ? 'is not a tar header' : 'has a header that does not match its checksum');
    }
    window.at += BLOCK;
    return header;
  }

  #more(): Uint8Array {
    if (this.#size > MOST_HEADER_BYTES) this.#fail(`has a header of ${this.#size} bytes`);
    return this.bytes();
  }
}

function paxSize(pax: Map<string, string> | undefined): number | undefined {
  const size = pax?.get('size');
  return size === undefined || !/^\d{1,15}$/.test(size) ? undefined : Number(size);
}

const isSparse = (type: string, pax: Map<string, string> | undefined): boolean =>
  type === 'S' || [...(pax?.keys() ?? [])].some(key => key.startsWith('GNU.sparse.'));
