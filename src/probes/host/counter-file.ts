import { closeSync, openSync, readSync } from 'node:fs';

const ZERO = 48;
const NINE = 57;

/**
 * A counter file of /proc that stays open and is read again and again into the same bytes. The kernel makes its text
 * anew at every read from position 0. Reading and parsing allocate nothing, so a lane can do it per chunk.
 */
export class CounterFile {
  /** What these readings added to the thread's own count of bytes read. */
  bytesRead = 0;
  readonly #fd: number;
  readonly #bytes = Buffer.alloc(512);
  #length = 0;
  #at = 0;

  private constructor(fd: number) {
    this.#fd = fd;
  }

  /** Undefined where the file is not there. `/proc/thread-self/…` means the thread that opens it, ever after. */
  static open(path: string): CounterFile | undefined {
    let fd: number;
    try {
      fd = openSync(path, 'r');
    } catch {
      return undefined;
    }
    const file = new CounterFile(fd);
    if (file.refresh()) return file;
    file.close();
    return undefined;
  }

  /** Reads the file anew; false where the kernel had nothing to say. */
  refresh(): boolean {
    this.#at = 0;
    try {
      this.#length = readSync(this.#fd, this.#bytes, 0, this.#bytes.length, 0);
    } catch {
      this.#length = 0;
    }
    this.bytesRead += this.#length;
    return this.#length > 0;
  }

  /** The next unsigned number in the text, whatever stands before it; −1 at the end. */
  nextNumber(): number {
    const bytes = this.#bytes;
    const length = this.#length;
    let at = this.#at;
    let digit = 0;
    while (at < length) {
      digit = bytes[at] ?? 0;
      if (digit >= ZERO && digit <= NINE) break;
      at++;
    }
    if (at === length) return -1;
    let value = 0;
    while (at < length) {
      digit = bytes[at] ?? 0;
      if (digit < ZERO || digit > NINE) break;
      value = value * 10 + digit - ZERO;
      at++;
    }
    this.#at = at;
    return value;
  }

  /** Goes on behind the last such byte; to the end where there is none. */
  skipPast(byte: number): void {
    const last = this.#bytes.lastIndexOf(byte, this.#length - 1);
    this.#at = last < 0 ? this.#length : last + 1;
  }

  close(): void {
    try {
      closeSync(this.#fd);
    } catch {
      // Closed already, with the thread that owned it.
    }
  }
}
