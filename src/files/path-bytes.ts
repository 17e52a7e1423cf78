import { isUtf8 } from 'node:buffer';

// File names on Linux are bytes and need not be UTF-8. A byte that is not becomes a lone surrogate, U+DC80 to U+DCFF, as in
// Python (PEP 383, surrogateescape). Valid text never holds one, so the bytes can be restored from the text.

const ESCAPE = 0xdc00;
/** A low surrogate that no high one stands before. */
const ESCAPED = /(?<![\ud800-\udbff])[\udc80-\udcff]/;
const ALL_ESCAPED = new RegExp(ESCAPED, 'g');

/** The longest beginning of `bytes` from `at` on that is one character; 0 where there is none. */
function characterLength(bytes: Uint8Array, at: number): number {
  for (let length = 1; length <= 4 && at + length <= bytes.length; length++) {
    if (isUtf8(bytes.subarray(at, at + length))) return length;
  }
  return 0;
}

/** A name as text. */
export function textOfName(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString();
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const length = characterLength(bytes, at);
    text += length === 0 ? String.fromCharCode(ESCAPE + (bytes[at] ?? 0)) : bytes.toString('utf8', at, at + length);
    at += Math.max(1, length);
  }
  return text;
}

/** A path as the system has to be given it. */
export function systemPath(path: string): string | Buffer {
  if (!ESCAPED.test(path)) return path;
  const parts: Buffer[] = [];
  let from = 0;
  for (const { index } of path.matchAll(ALL_ESCAPED)) {
    parts.push(Buffer.from(path.slice(from, index)), Buffer.of(path.charCodeAt(index) - ESCAPE));
    from = index + 1;
  }
  return Buffer.concat([...parts, Buffer.from(path.slice(from))]);
}
