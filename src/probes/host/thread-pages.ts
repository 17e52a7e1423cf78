import { CounterFile } from './counter-file.ts';

/** Pages of memory that one thread was the first to touch since it was opened, in that thread. */
export interface ThreadPages {
  /** What its readings added to the thread's own count of bytes read. */
  readonly bytesRead: number;
  read(): number;
  close(): void;
}

const CLOSING_BRACKET = 0x29;
/** Numbers behind the name, before that of minor faults: parent, group, session, terminal, its group, flags. */
const BEFORE_FAULTS = 6;

class ThreadFaults implements ThreadPages {
  readonly #file: CounterFile;
  readonly #before: number;
  #faults = 0;

  constructor(file: CounterFile) {
    this.#file = file;
    this.#before = this.#total();
  }

  get bytesRead(): number {
    return this.#file.bytesRead;
  }

  #total(): number {
    const file = this.#file;
    if (!file.refresh()) return this.#faults;
    // The thread's name stands in brackets, and may have numbers and brackets in it.
    file.skipPast(CLOSING_BRACKET);
    for (let at = 0; at < BEFORE_FAULTS; at++) file.nextNumber();
    this.#faults = Math.max(this.#faults, file.nextNumber());
    return this.#faults;
  }

  read(): number {
    return this.#total() - this.#before;
  }

  close(): void {
    this.#file.close();
  }
}

/** Undefined where the kernel keeps no such account. */
export function openThreadPages(path = '/proc/thread-self/stat'): ThreadPages | undefined {
  const file = CounterFile.open(path);
  return file === undefined ? undefined : new ThreadFaults(file);
}
