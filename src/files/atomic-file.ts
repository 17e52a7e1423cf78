import {
  closeSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { threadId } from 'node:worker_threads';

const UNFINISHED = '.part';
const unfinishedOf = (thread: number): string => `.venturi-${process.pid}-${thread}-`;

export interface AtomicFileOptions {
  /** Wait until the disk has it, so that it also outlives a crash of the machine. Default: true. */
  readonly durable?: boolean;
  /** Written and thrown away. It never has a name, so that nothing is left even if the process is killed. */
  readonly discarded?: boolean;
}

/**
 * A file that appears whole or not at all. It is written under another name in the same folder and takes its own when it
 * is committed; whoever reads meanwhile sees what was there before. Throws the system's own errors.
 */
export class AtomicFile {
  readonly #path: string;
  readonly #unfinished: string;
  readonly #durable: boolean;
  readonly #discarded: boolean;
  #fd: number | undefined;

  constructor(path: string, { durable = true, discarded = false }: AtomicFileOptions = {}) {
    const before = statSync(path, { throwIfNoEntry: false });
    this.#path = before === undefined ? path : target(path, before);
    this.#unfinished = join(dirname(this.#path), `${unfinishedOf(threadId)}${process.hrtime.bigint()}${UNFINISHED}`);
    this.#durable = durable;
    this.#discarded = discarded;
    this.#fd = openSync(this.#unfinished, 'wx');
    if (discarded) this.#orAbandon(() => rmSync(this.#unfinished));
    // The permissions of the file that is replaced: a private file must stay private.
    if (before !== undefined) this.#orAbandon(fd => fchmodSync(fd, before.mode & 0o777));
  }

  /** Appends. A failure leaves nothing behind, and no more can be written. */
  write(data: Uint8Array | string): void {
    const bytes = typeof data === 'string' ? Buffer.from(data) : data;
    this.#orAbandon(fd => {
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
    });
  }

  /** Puts it in its place. */
  commit(): void {
    this.#orAbandon(fd => {
      if (this.#durable) fsyncSync(fd);
      this.#close();
      if (!this.#discarded) renameSync(this.#unfinished, this.#path);
    });
    if (this.#durable && !this.#discarded) syncFolder(dirname(this.#path));
  }

  /** Removes what was written. Does nothing after a commit or a failure. */
  abandon(): void {
    if (this.#fd === undefined) return;
    this.#close();
    rmSync(this.#unfinished, { force: true });
  }

  #orAbandon(work: (fd: number) => void): void {
    if (this.#fd === undefined) throw new Error('the file was committed or given up');
    try {
      work(this.#fd);
    } catch (error) {
      this.#close();
      rmSync(this.#unfinished, { force: true });
      throw error;
    }
  }

  #close(): void {
    const fd = this.#fd;
    this.#fd = undefined;
    if (fd !== undefined) closeSync(fd);
  }
}

/** Removes the unfinished file that a dead thread of this process had begun to write for `path`. */
export function removeUnfinished(path: string, thread: number): void {
  try {
    const folder = dirname(existsSync(path) ? realpathSync(path) : path);
    for (const name of readdirSync(folder)) {
      if (name.startsWith(unfinishedOf(thread)) && name.endsWith(UNFINISHED))
        rmSync(join(folder, name), { force: true });
    }
  } catch {
    // A folder that is gone, or may not be listed, is nothing that the end of a run should fail over.
  }
}

/** Where a path really leads. A device or a pipe would be replaced by a file. */
function target(path: string, stats: Stats): string {
  if (stats.isFile()) return realpathSync(path);
  throw new Error(stats.isDirectory() ? 'it is a folder' : 'it is not a file');
}

/** A new name is safe from a power cut only when its folder is. Not every system lets a folder be opened. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const fd = openSync(folder, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Writes a whole file in one go, as an `AtomicFile`. */
export function replaceFile(path: string, data: Uint8Array | string, options: AtomicFileOptions = {}): void {
  const file = new AtomicFile(path, options);
  file.write(data);
  file.commit();
}
