import { randomBytes } from 'node:crypto';
import { fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { syncFolder } from '../../../files/atomic-file.ts';
import * as record from './cache-record.ts';
import { ChunkFile } from './chunk-file.ts';
import type { ChunkStore } from './chunk-store.ts';
import { type DiskCache, pathOf } from './disk-cache.ts';
import { unusable } from './disk-failure.ts';
import { draftName, removeAbandoned } from './drafts.ts';

/**
 * A cache that is being written. It lies beside its place under a name of its own, and moves there whole: runs at the same
 * time, a crash or a full disk never leave a file that could be taken for a cache.
 */
export class FileDraft implements ChunkStore {
  readonly warnings: string[] = [];
  readonly #cache: DiskCache;
  readonly #path: string;
  readonly #handle: number;
  readonly #file: ChunkFile;
  readonly #unchanged: () => boolean;
  #isInPlace = false;
  whole: number | undefined;

  /** `unchanged`: what the cache is made from is still what it was when the run began. */
  constructor(cache: DiskCache, unchanged: () => boolean) {
    this.#cache = cache;
    this.#unchanged = unchanged;
    this.#path = join(cache.folder, draftName(cache.key, randomBytes(6).toString('hex')));
    try {
      mkdirSync(cache.folder, { recursive: true });
      removeAbandoned(cache.folder);
      this.#handle = openSync(this.#path, 'wx+');
    } catch (error) {
      throw unusable(cache.folder, error);
    }
    this.#file = new ChunkFile(this.#handle, 0);
    try {
      this.#write(record.fileHeader(cache.key));
    } catch (error) {
      this.close();
      throw error;
    }
  }

  get bytes(): number {
    return this.#file.end;
  }

  add(bytes: Uint8Array, count: number): void {
    this.#write(record.recordHead(bytes, count));
    this.#write(bytes);
    this.#file.position = this.#file.end;
  }

  #write(bytes: Uint8Array): void {
    try {
      for (let written = 0; written < bytes.length; ) {
        written += writeSync(this.#handle, bytes, written, bytes.length - written, this.#file.end + written);
      }
    } catch (error) {
      throw unusable(this.#cache.folder, error);
    }
    this.#file.end += bytes.length;
  }

  next(): Uint8Array | undefined {
    try {
      return this.#file.next();
    } catch (error) {
      throw unusable(this.#path, error);
    }
  }

  rewind(): void {
    this.#file.position = record.HEADER_BYTES;
  }

  complete(elements: number): void {
    this.whole = elements;
    if (!this.#unchanged()) {
      this.warnings.push(`files changed while they were read, so ${this.#cache.folder} keeps nothing of this run`);
      return;
    }
    const { end } = this.#file;
    this.#write(record.endRecord(elements, end));
    this.#file.end = end;
    try {
      fsyncSync(this.#handle);
      renameSync(this.#path, pathOf(this.#cache));
      this.#isInPlace = true;
      syncFolder(this.#cache.folder);
    } catch (error) {
      throw unusable(this.#cache.folder, error);
    }
  }

  close(): void {
    this.#file.close();
    if (!this.#isInPlace) rmSync(this.#path, { force: true });
    this.#isInPlace = true;
  }
}
