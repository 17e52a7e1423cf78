import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { type OperatorOptions, type Pipeline, sourcePipeline } from '../api/pipeline.ts';
import { unreadable } from './file-reader.ts';
import type { SourceReader } from './source.ts';

/** A file, not yet read. `readFile` reads it where the work happens. */
export interface FileEntry {
  readonly path: string;
  readonly size: number;
}

export interface FilesOptions extends OperatorOptions {
  /** Only files with one of these endings: `['.jpg', '.jpeg']`. */
  readonly extensions?: readonly string[];
}

/** The files of a folder and the folders in it, in the order of their paths; or of a list of paths, in its order. */
export function files(where: string | readonly string[], options: FilesOptions = {}): Pipeline<FileEntry> {
  const settings = { where, extensions: options.extensions };
  const open = (): SourceReader => {
    const paths = typeof where === 'string' ? listFiles(where, options.extensions) : where;
    let next = 0;
    return {
      read(into, limit) {
        const end = Math.min(paths.length, next + limit);
        const count = end - next;
        for (; next < end; next++) into.push(entryOf(paths[next] ?? ''));
        return count;
      },
      done: () => next / Math.max(1, paths.length),
      close: () => undefined,
    };
  };
  return sourcePipeline('files', settings, open, options);
}

/** The bytes of a file, read synchronously in the thread that asks, so that its time and bytes are that thread's. */
export function readFile(file: FileEntry | string): Uint8Array {
  const path = typeof file === 'string' ? file : file.path;
  try {
    return readFileSync(path);
  } catch (error) {
    throw unreadable(path, error);
  }
}

function entryOf(path: string): FileEntry {
  try {
    return { path, size: statSync(path).size };
  } catch (error) {
    throw unreadable(path, error);
  }
}

function listFiles(folder: string, extensions: readonly string[] | undefined): string[] {
  const wanted = extensions === undefined ? undefined : new Set(extensions.map(ending => ending.toLowerCase()));
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile() && (wanted === undefined || wanted.has(extname(entry.name).toLowerCase())))
      .map(entry => join(entry.parentPath ?? entry.path, entry.name))
      .sort();
  } catch (error) {
    throw unreadable(folder, error);
  }
}
