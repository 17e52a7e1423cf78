import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, readSync, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { systemPath } from './path-bytes.ts';

/**
 * O_NONBLOCK: opening a pipe without a writer would block the thread for ever, and no signal reaches a thread blocked in
 * `open`; regular files behave the same with it. O_NOCTTY: a terminal does not become the controlling one.
 */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

/** Something other than a regular file, or a file above the size limit. Has a `code`, as the system's errors have. */
export class UnsuitableFileError extends Error {
  override readonly name = 'UnsuitableFileError';
  readonly syscall = 'open';
  readonly code: string;
  readonly path: string;

  constructor(path: string, code: string, message: string) {
    super(message);
    this.path = path;
    this.code = code;
  }
}

/**
 * Opens a file for reading and makes sure that it is one: what was opened is asked, since the path may lead elsewhere a
 * moment later. Links are followed. Throws the system's own errors and `UnsuitableFileError`.
 */
export function openRegular(path: string, flags = 0): number {
  let fd: number;
  try {
    fd = openSync(systemPath(path), FLAGS | flags);
  } catch (error) {
    throw explained(path, error);
  }
  try {
    mustBeRegular(path, fstatSync(fd));
    return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** What `work` makes of the open file, which is closed afterwards. */
export function withRegular<T>(path: string, work: (fd: number) => T): T {
  const fd = openRegular(path);
  try {
    return work(fd);
  } finally {
    closeSync(fd);
  }
}

/** A whole file of any size that one array can hold. */
export const readRegular = (path: string): Buffer => withRegular(path, fd => readFileSync(fd));

/**
 * Reads until `target` is full or the file ends; gives the bytes read. The kernel may give less than asked for before the end, above
 * all from network file systems.
 */
export function readFully(fd: number, target: Uint8Array, position: number): number {
  let filled = 0;
  while (filled < target.length) {
    const count = readSync(fd, target, filled, target.length - filled, position + filled);
    if (count === 0) break;
    filled += count;
  }
  return filled;
}

/** The same, asynchronously. */
export async function readRegularAsync(path: string): Promise<Buffer> {
  let file: FileHandle;
  try {
    file = await open(systemPath(path), FLAGS);
  } catch (error) {
    throw explained(path, error);
  }
  try {
    mustBeRegular(path, await file.stat());
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** Bytes of a text that somebody may have written by hand, a plan or a source file, at most: nobody writes more. */
export const MOST_WRITTEN_BYTES = 16 * 2 ** 20;

/** The text of a file of at most `mostBytes`. The limit is checked while reading: a file may grow, or report no size. */
export function readRegularText(path: string, mostBytes: number): string {
  return withRegular(path, fd => {
    const { size } = fstatSync(fd);
    if (size > mostBytes) throw tooLarge(path, mostBytes);
    let bytes = Buffer.allocUnsafe(size + 1);
    let length = 0;
    for (;;) {
      const count = readSync(fd, bytes, length, bytes.length - length, length);
      if (count === 0) return bytes.toString('utf8', 0, length);
      length += count;
      if (length > mostBytes) throw tooLarge(path, mostBytes);
      if (length === bytes.length) bytes = Buffer.concat([bytes], Math.min(mostBytes + 1, length * 2 + 4096));
    }
  });
}

/** Replaces the misleading errors of a dangling link ("no such file") and of a socket ("no such device"); others pass as they are. */
export function explained(path: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== 'ENOENT' && code !== 'ENXIO') return error;
  const entry = lstatOf(path);
  if (code === 'ENOENT' && entry?.isSymbolicLink() === true)
    return new UnsuitableFileError(path, code, 'it is a symbolic link to something that is not there');
  return code === 'ENXIO' && entry !== undefined ? unsuitable(path, entry) : error;
}

function lstatOf(path: string): Stats | undefined {
  try {
    return lstatSync(systemPath(path));
  } catch {
    return undefined;
  }
}

function mustBeRegular(path: string, stats: Stats): void {
  if (!stats.isFile()) throw unsuitable(path, stats);
}

function unsuitable(path: string, stats: Stats): UnsuitableFileError {
  const code = stats.isDirectory() ? 'EISDIR' : 'EINVAL';
  return new UnsuitableFileError(path, code, `it is ${kindOf(stats)}, not a file`);
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a pipe';
  if (stats.isSocket()) return 'a socket';
  return 'a device';
}

const tooLarge = (path: string, mostBytes: number): UnsuitableFileError =>
  new UnsuitableFileError(path, 'EFBIG', `it has more than the ${mostBytes / 2 ** 20} MiB that such a file may have`);
