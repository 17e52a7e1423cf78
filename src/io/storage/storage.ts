/** Bytes at any position of a file that was opened. */
export interface RandomAccess {
  readonly size: number;
  /** Fills `into` with the bytes from `position` on and gives their number: fewer only at the file's end. */
  read(into: Uint8Array, position: number): number;
  close(): void;
}

/**
 * Where sources and `readFile` get their bytes. It answers synchronously: the thread that asks does the work or waits
 * for it, so that its clock sees both. `readFileAsync` is for storage that is slow to answer: an async map then has
 * `concurrency` requests under way.
 */
export interface Storage {
  /** What to call it in settings and recordings; it never holds a secret. */
  readonly name: string;
  readFile(path: string): Uint8Array;
  readFileAsync(path: string): Promise<Uint8Array>;
  open(path: string): RandomAccess;
}
