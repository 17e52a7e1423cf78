import { unreadable } from './unreadable.ts';

/** Longest text that V8 holds is 2^29 - 24 characters. */
const MOST_BYTES = 2 ** 29 - 24;

/** The JSON document that a file is. */
export function parsedJson(file: string, bytes: Uint8Array, what: string): unknown {
  if (bytes.length > MOST_BYTES) {
    throw unreadable(file, what, `it has ${bytes.length} bytes, at most ${MOST_BYTES} are read`, 'Trace fewer steps.');
  }
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw unreadable(file, what, why, 'A file that breaks off was not written to its end: record it again.', error);
  }
}
