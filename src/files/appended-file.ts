import { closeSync, constants, openSync, writeSync } from 'node:fs';

/** O_NONBLOCK: opening a pipe without a reader would block the thread for ever. */
const FLAGS = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NONBLOCK ?? 0);

/** Retries of a write to a full pipe, 5 s in all. A reader that takes nothing for that long is given up. */
const MOST_WAITS = 1000;
const WAIT_MS = 5;

/**
 * Appends to a file, or writes to a terminal or pipe such as `/dev/stderr`. A short text goes in one piece: those of
 * several threads do not mix. Throws the system's own errors; those of a pipe without readers are ENXIO and EAGAIN.
 */
export function appendText(path: string, text: string): void {
  const fd = openSync(path, FLAGS, 0o666);
  try {
    const bytes = Buffer.from(text);
    for (let at = 0, waits = 0; at < bytes.length; ) {
      try {
        at += writeSync(fd, bytes, at);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || waits++ === MOST_WAITS) throw error;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAIT_MS);
      }
    }
  } finally {
    closeSync(fd);
  }
}
