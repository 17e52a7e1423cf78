/** Tar headers: ustar, GNU and pax, as one block of 512 bytes. Sizes in bytes. */
export const BLOCK = 512;

const NAME = { at: 0, length: 100 } as const;
const SIZE = { at: 124, length: 12 } as const;
const CHECKSUM = { at: 148, length: 8 } as const;
const TYPE = 156;
const MAGIC = { at: 257, length: 6 } as const;
const PREFIX = { at: 345, length: 155 } as const;
const SPACE = 32;

export interface TarHeader {
  readonly path: string;
  readonly size: number;
  /** '0': a file; 'L', 'x', 'g': what follows says more about the next entry; others hold no file. */
  readonly type: string;
}

/** undefined: the checksum or the size cannot be those of a header. */
export function parseHeader(block: Uint8Array): TarHeader | undefined {
  const size = numberAt(block, SIZE);
  if (!checksumHolds(block) || size === undefined) return undefined;
  const name = textAt(block, NAME);
  // GNU's own magic is followed by other things where ustar keeps the front of a long path.
  const prefix = textAt(block, MAGIC) === 'ustar' ? textAt(block, PREFIX) : '';
  const path = prefix === '' ? name : `${prefix}/${name}`;
  const code = block[TYPE] as number;
  const type = code === 0 ? '0' : String.fromCharCode(code);
  // Before ustar a folder was a file whose name ends in a slash.
  return { path, size, type: type === '0' && path.endsWith('/') ? '5' : type };
}

export const isZero = (block: Uint8Array): boolean => block.every(byte => byte === 0);

/** The records of a pax header, `LENGTH KEY=VALUE\n` each; undefined where they are not that. */
export function parsePax(bytes: Uint8Array): Map<string, string> | undefined {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const records = new Map<string, string>();
  for (let at = 0; at < text.length; ) {
    const space = text.indexOf(SPACE, at);
    const digits = space < 0 ? '' : text.toString('latin1', at, space);
    const end = at + Number(digits);
    const equals = text.indexOf('=', space);
    const sound = /^\d+$/.test(digits) && end <= text.length && equals >= 0 && equals < end && text[end - 1] === 10;
    if (!sound) return undefined;
    records.set(text.toString('utf8', space + 1, equals), text.toString('utf8', equals + 1, end - 1));
    at = end;
  }
  return records;
}

/** Text up to the first zero. */
export function parseText(bytes: Uint8Array): string {
  const zero = bytes.indexOf(0);
  return Buffer.from(bytes.buffer, bytes.byteOffset, zero < 0 ? bytes.length : zero).toString('utf8');
}

interface Field {
  readonly at: number;
  readonly length: number;
}

const textAt = (block: Uint8Array, { at, length }: Field): string => parseText(block.subarray(at, at + length));

/** Octal digits; or, where the first bit is set, a binary number. */
function numberAt(block: Uint8Array, { at, length }: Field): number | undefined {
  const field = block.subarray(at, at + length);
  const first = field[0] as number;
  if (first === 0x80) {
    const number = field.subarray(1).reduce((sum, byte) => sum * 256 + byte, 0);
    return Number.isSafeInteger(number) ? number : undefined;
  }
  const digits = parseText(field).trim();
  return /^[0-7]*$/.test(digits) ? Number.parseInt(`0${digits}`, 8) : undefined;
}

/** The sum of the header's bytes with the checksum's own taken as spaces. Some old programs took bytes as signed. */
function checksumHolds(block: Uint8Array): boolean {
  const stored = numberAt(block, CHECKSUM);
  let unsigned = SPACE * CHECKSUM.length;
  let high = 0;
  for (let i = 0; i < BLOCK; i++) {
    if (i >= CHECKSUM.at && i < CHECKSUM.at + CHECKSUM.length) continue;
    const byte = block[i] as number;
    unsigned += byte;
    if (byte > 127) high++;
  }
  return stored === unsigned || stored === unsigned - 256 * high;
}
