import { statSync } from 'node:fs';
import { ByteWindow } from './byte-window.ts';
import { unreadable } from './file-reader.ts';
import { InputFile, type IsGzip } from './input-file.ts';
import { type OpenSource, readingFiles, type SourceReader } from './source.ts';

/** The elements of one file, front to back. */
export interface FileElements {
  /** Appends at most `limit` elements; fewer only at the end of the file. */
  read(into: unknown[], limit: number): number;
}

export interface FileFormat {
  /** Left out: by the file's first bytes and its name. */
  readonly isGzip?: IsGzip;
  /** Called at the start of each pass; what it returns is called for each file. */
  begin(): (window: ByteWindow) => FileElements;
}

export const listOf = (paths: string | readonly string[]): readonly string[] =>
  typeof paths === 'string' ? [paths] : paths;

/** A source that reads files one after the other, in the order given. */
export const filesInTurn = (paths: readonly string[], format: FileFormat): OpenSource =>
  readingFiles(
    () => new FilesInTurn(paths, format),
    () => paths,
  );

class FilesInTurn implements SourceReader {
  readonly #paths: readonly string[];
  readonly #isGzip: IsGzip | undefined;
  readonly #open: (window: ByteWindow) => FileElements;
  readonly #total: number;
  #before = 0;
  #next = 0;
  #finished = 0;
  #file: InputFile | undefined;
  #elements: FileElements | undefined;

  constructor(paths: readonly string[], format: FileFormat) {
    this.#paths = paths;
    this.#isGzip = format.isGzip;
    this.#open = format.begin();
    this.#total = paths.reduce((sum, path) => sum + sizeOf(path), 0);
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
    this.#elements = this.#open(new ByteWindow(this.#file));
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
