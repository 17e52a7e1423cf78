import { closeSync, fstatSync, readSync } from 'node:fs';
import { openRegular, readRegular, readRegularAsync } from '../../files/regular-file.ts';
import { unreadable } from '../input/file-reader.ts';
import { fileBytes } from './file-bytes.ts';
import type { RandomAccess, Storage } from './storage.ts';

/** The file system, as it is. */
export const localStorage: Storage = {
  name: 'local',

  readFile(path) {
    try {
      return fileBytes(path, readRegular(path));
    } catch (error) {
      throw unreadable(path, error);
    }
  },

  async readFileAsync(path) {
    try {
      return fileBytes(path, await readRegularAsync(path));
    } catch (error) {
      throw unreadable(path, error);
    }
  },

  open: path => new LocalFile(path),
};

class LocalFile implements RandomAccess {
  readonly size: number;
  readonly #path: string;
  readonly #handle: number;
  #open = true;

  constructor(path: string) {
    this.#path = path;
    try {
      this.#handle = openRegular(path);
      this.size = fstatSync(this.#handle).size;
    } catch (error) {
      throw unreadable(path, error);
    }
  }

  read(into: Uint8Array, position: number): number {
    try {
      let filled = 0;
      // The kernel may give less than asked for before the end, above all from network file systems.
      while (filled < into.length) {
        const count = readSync(this.#handle, into, filled, into.length - filled, position + filled);
        if (count === 0) break;
        filled += count;
      }
      return filled;
    } catch (error) {
      throw unreadable(this.#path, error);
    }
  }

  close(): void {
    if (this.#open) closeSync(this.#handle);
    this.#open = false;
  }
}
