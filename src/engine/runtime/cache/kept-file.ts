import { closeSync, fstatSync, rmSync } from 'node:fs';
import { openRegular } from '../../../files/regular-file.ts';
import * as record from './cache-record.ts';
import { ChunkFile } from './chunk-file.ts';
import type { ChunkStore } from './chunk-store.ts';
import { damaged, unusable } from './disk-failure.ts';

/** A cache that an earlier run left on disk. */
export class KeptFile implements ChunkStore {
  readonly warnings = [];
  readonly bytes: number;
  readonly whole: number;
  readonly #path: string;
  readonly #file: ChunkFile;

  private constructor(path: string, file: ChunkFile, elements: number) {
    this.#path = path;
    this.#file = file;
    this.bytes = file.end;
    this.whole = elements;
  }

  /** Undefined where there is none. Looks at both ends of the file and at its first chunk; throws `Damage`. */
  static open(path: string, key: string): KeptFile | undefined {
    let handle: number;
    try {
      handle = openRegular(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw unusable(path, error);
    }
    try {
      return KeptFile.#check(path, key, handle);
    } catch (error) {
      closeSync(handle);
      throw error;
    }
  }

  static #check(path: string, key: string, handle: number): KeptFile {
    const { size } = fstatSync(handle);
    const end = size - record.END_BYTES;
    if (end < record.HEADER_BYTES) throw new record.Damage(`it has ${size} bytes only`);
    const file = new ChunkFile(handle, end);
    if (!file.read(0, record.HEADER_BYTES).equals(record.fileHeader(key)))
      throw new record.Damage('it begins otherwise');
    const elements = record.parseEnd(file.read(end, record.END_BYTES), end);
    file.next();
    const kept = new KeptFile(path, file, elements);
    kept.rewind();
    return kept;
  }

  add(): void {
    throw new Error('a cache that is whole takes no more');
  }

  complete(): void {}

  next(): Uint8Array | undefined {
    try {
      return this.#file.next();
    } catch (error) {
      rmSync(this.#path, { force: true });
      throw damaged(this.#path, error as Error);
    }
  }

  rewind(): void {
    this.#file.position = record.HEADER_BYTES;
  }

  close(): void {
    this.#file.close();
  }
}
