/** JSON as bytes: where a token ends. A position of -1 means that the bytes end before the token does. */
export const INCOMPLETE = -1;

export const CHAR = {
  quote: 0x22,
  backslash: 0x5c,
  openBrace: 0x7b,
  closeBrace: 0x7d,
  openBracket: 0x5b,
  closeBracket: 0x5d,
  comma: 0x2c,
  colon: 0x3a,
  minus: 0x2d,
  point: 0x2e,
  zero: 0x30,
  nine: 0x39,
} as const;

/** Text that is no JSON, at a position of the bytes. */
export class MalformedJson extends Error {
  readonly at: number;

  constructor(at: number, what: string) {
    super(what);
    this.at = at;
  }
}

/** The first position that holds no white space. */
export function skipSpace(bytes: Uint8Array, at: number): number {
  let position = at;
  while (position < bytes.length) {
    const char = bytes[position] as number;
    if (char !== 0x20 && char !== 0x0a && char !== 0x0d && char !== 0x09) return position;
    position++;
  }
  return INCOMPLETE;
}

/** The closing quote of the string whose opening quote stands at `at`. */
export function endOfString(bytes: Uint8Array, at: number): number {
  for (let position = at + 1; position < bytes.length; position++) {
    const char = bytes[position];
    if (char === CHAR.quote) return position;
    if (char === CHAR.backslash) position++;
  }
  return INCOMPLETE;
}

/** The position behind the value that begins at `at`. Brackets are counted, not compared: what is skipped need not be valid. */
export function endOfValue(bytes: Uint8Array, at: number): number {
  const first = bytes[at];
  if (first === CHAR.quote) {
    const end = endOfString(bytes, at);
    return end === INCOMPLETE ? INCOMPLETE : end + 1;
  }
  if (first === CHAR.openBrace || first === CHAR.openBracket) return endOfContainer(bytes, at);
  for (let position = at; position < bytes.length; position++) {
    const char = bytes[position] as number;
    if (char === CHAR.comma || char === CHAR.closeBrace || char === CHAR.closeBracket || char <= 0x20) {
      if (position === at) throw new MalformedJson(at, 'a value is missing');
      return position;
    }
  }
  return INCOMPLETE;
}

function endOfContainer(bytes: Uint8Array, at: number): number {
  for (let position = at, depth = 0; position < bytes.length; position++) {
    const char = bytes[position] as number;
    if (char === CHAR.quote) {
      const end = endOfString(bytes, position);
      if (end === INCOMPLETE) return INCOMPLETE;
      position = end;
    } else if (char === CHAR.openBrace || char === CHAR.openBracket) depth++;
    else if (char === CHAR.closeBrace || char === CHAR.closeBracket) {
      depth--;
      if (depth === 0) return position + 1;
    }
  }
  return INCOMPLETE;
}

/** Whether the bytes from `start` to `end` are this text. */
export function isText(bytes: Uint8Array, start: number, end: number, text: Uint8Array): boolean {
  if (end - start !== text.length) return false;
  for (let at = 0; at < text.length; at++) if (bytes[start + at] !== text[at]) return false;
  return true;
}
