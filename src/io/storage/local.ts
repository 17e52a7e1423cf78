import { closeSync, fstatSync } from 'node:fs';
import { openRegular, readFully, readRegular, readRegularAsync } from '../../files/regular-file.ts';
import { orUnreadable, unreadable } from '../input/file-reader.ts';
import { fileBytes } from './file-bytes.ts';
import type { RandomAccess, Storage } from './storage.ts';

/** The file system, as it is. */
export const localStorage: Storage = {
  name: 'local',

  readFile: path => orUnreadable(path, () => fileBytes(path, readRegular(path))),

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
    this.#handle = orUnreadable(path, () => openRegular(path));
    this.size = orUnreadable(path, () => fstatSync(this.#handle).size);
  }

  read(into: Uint8Array, position: number): number {
    return orUnreadable(this.#path, () => readFully(this.#handle, into, position));
  }

  close(): void {
    if (this.#open) closeSync(this.#handle);
    this.#open = false;
  }
}
