import { ByteWindow } from '../../io/input/byte-window.ts';
import { isNamedCompressed, type Recognise } from '../../io/input/compression.ts';
import { entryOf, sizeOf } from '../../io/input/file-entry.ts';
import { InputFile } from '../../io/input/input-file.ts';
import { type GiveUp, isLoss } from '../../io/input/loss.ts';
import { sumOf } from '../../math/totals.ts';
import { VenturiError } from '../../model/errors.ts';
import {
  type DividedSource,
  type OpenSource,
  PART_BYTES,
  readingFiles,
  type SourceReader,
} from '../contract/source.ts';
import { type CutFormat, type FilePart, partsOf } from './file-parts.ts';

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

export interface FileFormat extends CutFormat {
  /** Starts a pass; `saved` is what an earlier one had learnt. `giveUp`: for records that can be left out. */
  begin(saved: unknown, giveUp?: GiveUp): FilePass;
}

/** Opens a source that reads files of a format one after the other. */
export const filesInTurn =
  (format: FileFormat) =>
  (paths: readonly string[], lenient: boolean): OpenSource =>
    readingFiles(
      ({ from, giveUp }) =>
        new FilesInTurn(paths, format, { from: from as SavedFiles | undefined, ...(lenient && { giveUp }) }),
      () => paths,
      {
        lenient,
        // A compressed file would be one part, whose reader has to wait for all parts before it: no gain.
        divided:
          format.cuts === undefined || paths.some(isNamedCompressed)
            ? undefined
            : { parts: () => knowingParts(paths, format), read: part => readPart(part as KnowingPart, format) },
      },
    );

interface KnowingPart extends FilePart {
  /** What a pass knows that has opened the first of all files. */
  readonly pass: unknown;
}

function* knowingParts(paths: readonly string[], format: FileFormat): Iterable<KnowingPart> {
  const [first] = paths;
  const pass = first === undefined ? undefined : learnt(first, format);
  for (const part of partsOf(paths, format)) yield { ...part, pass };
}

function learnt(path: string, format: FileFormat): unknown {
  const file = new InputFile(path, format.recognise);
  try {
    const pass = format.begin(undefined);
    pass.open(new ByteWindow(file), undefined);
    return pass.save?.();
  } catch (error) {
    // Whoever reads its first part says the same.
    if (!(error instanceof VenturiError)) throw error;
    return undefined;
  } finally {
    file.close();
  }
}

function readPart({ path, from, to, pass }: KnowingPart, format: FileFormat): ReturnType<DividedSource['read']> {
  const files = new FilesInTurn([path], format, { from: { file: 0, within: from, pass }, until: to });
  return {
    read(into, limit) {
      const most = files.offset + PART_BYTES;
      let read = 0;
      // A file whose name does not say that it is compressed is one part, however large it is.
      while (read < limit && files.offset < most && files.read(into, 1) > 0) read++;
      return read;
    },
    close: () => files.close(),
  };
}

interface TurnOptions {
  readonly from?: SavedFiles | undefined;
  /** The byte at which files are taken to end. */
  readonly until?: number;
  /** What cannot be read is left out. */
  readonly giveUp?: GiveUp;
}

class FilesInTurn implements SourceReader {
  readonly #paths: readonly string[];
  readonly #recognise: Recognise | undefined;
  readonly #until: number | undefined;
  readonly #giveUp: GiveUp | undefined;
  readonly #pass: FilePass;
  readonly #sizes: readonly number[];
  readonly #total: number;
  #before = 0;
  #next = 0;
  #finished = 0;
  #done = 0;
  #file: InputFile | undefined;
  #elements: FileElements | undefined;
  #window: ByteWindow | undefined;

  /** Where in the first file to begin. */
  #within: unknown;

  constructor(paths: readonly string[], format: FileFormat, { from, until, giveUp }: TurnOptions) {
    this.#paths = paths;
    this.#recognise = format.recognise;
    this.#until = until;
    this.#giveUp = giveUp;
    this.#pass = format.begin(from?.pass, giveUp);
    this.#sizes = paths.map(path => (giveUp === undefined ? entryOf(path).size : sizeOf(path)));
    this.#total = sumOf(this.#sizes, size => size);
    if (from === undefined) return;
    this.#next = from.file;
    this.#finished = from.file;
    this.#within = from.within;
    this.#before = sumOf(this.#sizes.slice(0, from.file), size => size);
  }

  /** How far its file was read, after inflating. */
  get offset(): number {
    return this.#window?.offset ?? 0;
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
      const before = into.length;
      try {
        const elements = this.#elements ?? this.#openNext();
        if (elements === undefined) break;
        read += elements.read(into, limit - read);
      } catch (error) {
        this.#lose(error);
        // What came before the damage is there.
        read += into.length - before;
        this.#finish();
        continue;
      }
      if (read < limit) this.#finish();
    }
    return read;
  }

  /** Goes on behind the file that was opened last, where that is wanted. */
  #lose(error: unknown): void {
    const path = this.#paths[this.#next - 1];
    if (this.#giveUp === undefined || path === undefined || !isLoss(error)) throw error;
    this.#giveUp({ what: 'file', path, error });
  }

  #openNext(): FileElements | undefined {
    const path = this.#paths[this.#next];
    if (path === undefined) return undefined;
    this.#next++;
    const within = this.#within;
    this.#within = undefined;
    this.#file = new InputFile(path, this.#recognise, this.#until);
    this.#window = new ByteWindow(this.#file);
    this.#elements = this.#pass.open(this.#window, within);
    return this.#elements;
  }

  #finish(): void {
    this.#before += this.#file?.size ?? this.#sizes[this.#next - 1] ?? 0;
    if (this.#file !== undefined) this.#finished++;
    this.close();
  }

  done(): number {
    // What was read ahead is not done: it has not become elements yet. How far that is in a compressed file is a guess, which may fall.
    const position = (this.#file?.position ?? 0) * (this.#window?.used ?? 0);
    this.#done = Math.max(this.#done, Math.min(1, (this.#before + position) / Math.max(1, this.#total)));
    return this.#done;
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
