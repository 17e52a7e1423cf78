import { closeSync, constants, openSync, writeSync } from 'node:fs';

/** Waiting is never asked for: opening a pipe that nobody reads would stop the thread for good. */
const FLAGS = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NONBLOCK ?? 0);

/** A reader of a pipe that takes nothing for as long as all of these together, 5 s, is not waited for. */
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
