import { statSync } from 'node:fs';
import { ByteWindow } from './byte-window.ts';
import { unreadable } from './file-reader.ts';
import { InputFile, type IsGzip } from './input-file.ts';
import { type OpenSource, readingFiles, type SourceReader } from './source.ts';

/** The elements of one file, front to back. */
export interface FileElements {
  /** Appends at most `limit` elements; fewer only at the end of the file. */
  read(into: unknown[], limit: number): number;
  /** Where the next element lies, as plain data. */
  position(): unknown;
}

/** One pass over files of a format. */
export interface FilePass {
  /** `from`: where to begin, as `position` of its elements gave it. */
  open(window: ByteWindow, from: unknown): FileElements;
  /** What it has learnt from earlier files and needs for later ones. */
  save?(): unknown;
}

interface SavedFiles {
  readonly file: number;
  readonly within: unknown;
  readonly pass: unknown;
}

export interface FileFormat {
  /** Left out: by the file's first bytes and its name. */
  readonly isGzip?: IsGzip;
  /** Starts a pass; `saved` is what an earlier one had learnt. */
  begin(saved: unknown): FilePass;
}

export const listOf = (paths: string | readonly string[]): readonly string[] =>
  typeof paths === 'string' ? [paths] : paths;

/** A source that reads files one after the other, in the order given. */
export const filesInTurn = (paths: readonly string[], format: FileFormat): OpenSource =>
  readingFiles(
    ({ from }) => new FilesInTurn(paths, format, from as SavedFiles | undefined),
    () => paths,
  );

class FilesInTurn implements SourceReader {
  readonly #paths: readonly string[];
  readonly #isGzip: IsGzip | undefined;
  readonly #pass: FilePass;
  readonly #total: number;
  #before = 0;
  #next = 0;
  #finished = 0;
  #file: InputFile | undefined;
  #elements: FileElements | undefined;

  /** Where in the first file to begin. */
  #within: unknown;

  constructor(paths: readonly string[], format: FileFormat, from?: SavedFiles) {
    this.#paths = paths;
    this.#isGzip = format.isGzip;
    this.#pass = format.begin(from?.pass);
    this.#total = paths.reduce((sum, path) => sum + sizeOf(path), 0);
    if (from === undefined) return;
    this.#next = from.file;
    this.#finished = from.file;
    this.#within = from.within;
    this.#before = paths.slice(0, from.file).reduce((sum, path) => sum + sizeOf(path), 0);
  }

  position(): SavedFiles {
    const pass = this.#pass.save?.();
    // Not opened yet: it is still where it was told to begin.
    if (this.#elements === undefined) return { file: this.#next, within: this.#within, pass };
    return { file: this.#next - 1, within: this.#elements.position(), pass };
  }

  read(into: unknown[], limit: number): number {
    let read = 0;
    while (read < limit) {
      const elements = this.#elements ?? this.#openNext();
      if (elements === undefined) break;
      const arrived = elements.read(into, limit - read);
      read += arrived;
      if (read < limit) this.#finish();
    }
    return read;
  }

  #openNext(): FileElements | undefined {
    const path = this.#paths[this.#next];
    if (path === undefined) return undefined;
    this.#next++;
    this.#file = new InputFile(path, this.#isGzip);
    this.#elements = this.#pass.open(new ByteWindow(this.#file), this.#within);
    this.#within = undefined;
    return this.#elements;
  }

  #finish(): void {
    this.#before += this.#file?.size ?? 0;
    if (this.#file !== undefined) this.#finished++;
    this.close();
  }

  done(): number {
    return Math.min(1, (this.#before + (this.#file?.position ?? 0)) / Math.max(1, this.#total));
  }

  files(): { read: number; all: number } {
    return { read: this.#finished, all: this.#paths.length };
  }

  close(): void {
    this.#file?.close();
    this.#file = undefined;
    this.#elements = undefined;
  }
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch (error) {
    throw unreadable(path, error);
  }
}
