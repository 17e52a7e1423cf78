import { endOfValue, INCOMPLETE, skipSpace } from './chrome/json-bytes.ts';
import { parsedJson } from './parsed-json.ts';

/** JSON documents that stand one after the other in a file. */
export function jsonDocuments(file: string, bytes: Uint8Array, what: string): unknown[] {
  const documents: unknown[] = [];
  for (let at = skipSpace(bytes, 0); at !== INCOMPLETE; ) {
    const end = endOfValue(bytes, at);
    // What is not whole, or no JSON at all, is refused by the parser, which says why.
    documents.push(
      parsedJson(file, bytes.subarray(at, end === INCOMPLETE ? bytes.length : Math.max(end, at + 1)), what),
    );
    if (end === INCOMPLETE) break;
    at = skipSpace(bytes, end);
  }
  return documents;
}
