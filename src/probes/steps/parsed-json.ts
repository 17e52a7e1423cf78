import { unreadable } from './unreadable.ts';

/** The JSON document that a file is. */
export function parsedJson(file: string, bytes: Uint8Array, what: string): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw unreadable(file, what, why, 'A file that breaks off was not written to its end: record it again.', error);
  }
}
