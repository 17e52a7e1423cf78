import { AtomicFile, replaceFile } from '../../files/atomic-file.ts';
import { VenturiError } from '../../model/errors.ts';

/**
 * Writes a file that appears whole or not at all: under another name in the same folder, handed to the disk, then renamed.
 * Whoever reads it sees the old one or the new one. Synchronous: its time is the calling operator's.
 */
export const writeFileAtomically = (path: string, data: Uint8Array | string): void =>
  orUnwritable(path, () => replaceFile(path, data));

/**
 * The same for a file that is written piece by piece, with errors that say which file it was. In a trial it is thrown away: what a sink
 * writes goes through this, so that a run which is made to be measured touches nobody's files.
 */
export class FileOutput {
  readonly #path: string;
  readonly #file: AtomicFile;

  constructor(path: string, { isTrial }: { readonly isTrial: boolean }) {
    this.#path = path;
    this.#file = orUnwritable(path, () => new AtomicFile(path, { discarded: isTrial }));
  }

  write(data: Uint8Array | string): void {
    orUnwritable(this.#path, () => this.#file.write(data));
  }

  commit(): void {
    orUnwritable(this.#path, () => this.#file.commit());
  }

  /** Leaves nothing behind, unless it was committed. */
  abandon(): void {
    this.#file.abandon();
  }
}

function orUnwritable<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new VenturiError('VENTURI_FILE_UNWRITABLE', `${path} cannot be written: ${(error as Error).message}`, {
      cause: error,
      remedy:
        (error as NodeJS.ErrnoException).code === 'ENOSPC'
          ? 'make room on the disk or choose another place; nothing was left there'
          : 'choose a place that you may write to; nothing was left there',
    });
  }
}
