import { mkdirSync, rmSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { AtomicFile } from '../../files/atomic-file.ts';
import { VenturiError } from '../../model/errors.ts';
import { unwritableExport } from './unwritable.ts';

/** Pieces gather to about this much before they are written. */
const PIECE = 1 << 18;

type Pieces = AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>;

/** Files of one export. All appear when the last is written, or none: a failure, a full disk or Ctrl-C leaves what was there before. */
export class WrittenFiles {
  readonly #files: { readonly path: string; readonly file: AtomicFile }[] = [];
  readonly #signal: AbortSignal | undefined;
  /** The uppermost folder that was made for them. */
  #made: string | undefined;

  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  /** Makes the folder in which files are to be written, where there is none. */
  folder(path: string): void {
    try {
      this.#made ??= mkdirSync(path, { recursive: true });
    } catch (error) {
      throw unwritableExport(path, error);
    }
  }

  /** A file of these pieces. Memory is proportional to the largest of them. */
  async write(path: string, pieces: Pieces): Promise<void> {
    const file = this.open(path);
    let gathered = '';
    const flush = async (): Promise<void> => {
      file.write(gathered);
      gathered = '';
      await this.pause();
    };
    for await (const piece of pieces) {
      if (typeof piece === 'string') {
        gathered += piece;
        if (gathered.length >= PIECE) await flush();
      } else {
        await flush();
        file.write(piece);
      }
    }
    await flush();
  }

  /** A file that its caller writes to. */
  open(path: string): Pick<AtomicFile, 'write'> {
    try {
      const file = new AtomicFile(path, { durable: false });
      this.#files.push({ path, file });
      return { write: data => orUnwritable(path, () => file.write(data)) };
    } catch (error) {
      throw unwritableExport(path, error);
    }
  }

  /** Lets signals come through, and stops where one did. */
  async pause(): Promise<void> {
    await setImmediate();
    if (this.#signal?.aborted === true) throw new VenturiError('VENTURI_INTERRUPTED', 'Stopped: nothing was written.');
  }

  commit(): void {
    for (const { path, file } of this.#files) orUnwritable(path, () => file.commit());
    this.#files.length = 0;
    this.#made = undefined;
  }

  /** Removes what was written. Does nothing after a commit. */
  abandon(): void {
    for (const { file } of this.#files) file.abandon();
    if (this.#made !== undefined) rmSync(this.#made, { recursive: true, force: true });
    this.#made = undefined;
  }
}

function orUnwritable(path: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    throw unwritableExport(path, error);
  }
}
