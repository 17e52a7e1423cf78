import { appendFileSync, closeSync, fstatSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { openRegular, UnsuitableFileError } from '../../files/regular-file.ts';
import { KIND_OFFSET, RECORD_BYTES, RECORD_KIND, RECORD_WORDS, writeRecord } from '../../model/record.ts';

/**
 * Ends the lanes of processes that were ended at rest. A program that is through ends its idle workers by a signal, which
 * leaves them no moment to say so themselves; all they did was handed over before. Only for a program that ended well.
 */
export function endAbandonedLanes(folder: string, nowNs: number): void {
  const words = new Uint32Array(RECORD_WORDS);
  writeRecord(words, 0, RECORD_KIND.end, 0, 0, 0, nowNs, 0);
  for (const name of readdirSync(folder).filter(file => file.endsWith('.lane'))) {
    const path = join(folder, name);
    if (lastKind(path) !== RECORD_KIND.end) appendFileSync(path, new Uint8Array(words.buffer));
  }
}

/**
 * The kind of a lane's last record. A header is as long as four of them, so that records end where the file does. To what
 * is no lane, nothing is added.
 */
function lastKind(path: string): number | undefined {
  let fd: number;
  try {
    fd = openRegular(path);
  } catch (error) {
    if (error instanceof UnsuitableFileError) return RECORD_KIND.end;
    throw error;
  }
  try {
    const { size } = fstatSync(fd);
    if (size % RECORD_BYTES !== 0) return RECORD_KIND.end;
    const record = new Uint8Array(RECORD_BYTES);
    readSync(fd, record, 0, RECORD_BYTES, size - RECORD_BYTES);
    return record[KIND_OFFSET];
  } finally {
    closeSync(fd);
  }
}
