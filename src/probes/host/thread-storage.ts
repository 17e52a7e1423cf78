import { CounterFile } from './counter-file.ts';

/** Storage traffic of one thread. Open it inside the thread it measures. */
export interface ThreadStorage {
  /** Bytes that read calls returned, the probe's own readings left out. Pipes count as well, memory-mapped files do not. */
  readonly asked: number;
  /** Bytes fetched from a device for this thread: what the page cache did not hold, read-ahead included. */
  readonly fetched: number;
  /** Bytes this thread made dirty. What was deleted before it reached the disk is not taken back: a total only grows. */
  readonly written: number;
  read(): void;
  close(): void;
}

class ThreadIo implements ThreadStorage {
  asked = 0;
  fetched = 0;
  written = 0;
  readonly #file: CounterFile;
  readonly #others: { readonly bytesRead: number };

  constructor(file: CounterFile, others: { readonly bytesRead: number }) {
    this.#file = file;
    this.#others = others;
    this.read();
  }

  read(): void {
    const file = this.#file;
    // The kernel adds a reading to the count after it is made, so a text never holds its own bytes.
    const own = file.bytesRead + this.#others.bytesRead;
    if (!file.refresh()) return;
    const readCharacters = file.nextNumber();
    file.nextNumber(); // characters written
    file.nextNumber(); // read calls
    file.nextNumber(); // write calls
    const fetched = file.nextNumber();
    const written = file.nextNumber();
    if (written < 0) return;
    this.asked = readCharacters - own;
    this.fetched = fetched;
    this.written = written;
  }

  close(): void {
    this.#file.close();
  }
}

/**
 * `others` are kept in the same thread, such as its clock: the kernel counts their readings too.
 * Undefined where the kernel keeps no such account.
 */
export function openThreadStorage(
  others: { readonly bytesRead: number } = { bytesRead: 0 },
  path = '/proc/thread-self/io',
): ThreadStorage | undefined {
  const file = CounterFile.open(path);
  return file === undefined ? undefined : new ThreadIo(file, others);
}
