/**
 * What holds plain bytes: Buffer, the typed arrays, DataView, ArrayBuffer. Each is known by its position in VIEW_NAMES.
 * A Buffer stays a Buffer, where structured cloning would make it a Uint8Array.
 */
export const VIEW_NAMES = [
  'Uint8Array',
  'Buffer',
  'Int8Array',
  'Uint8ClampedArray',
  'Int16Array',
  'Uint16Array',
  'Int32Array',
  'Uint32Array',
  'Float32Array',
  'Float64Array',
  'BigInt64Array',
  'BigUint64Array',
  'DataView',
  'ArrayBuffer',
  // From Node 24 on.
  'Float16Array',
] as const;

const UINT8 = 0;
const BUFFER = 1;
const DATA_VIEW = 12;
export const ARRAY_BUFFER = 13;
const CLASSES = VIEW_NAMES.map(
  name => (globalThis as Record<string, unknown>)[name] as Int32ArrayConstructor | undefined,
);
const CODE_BY_PROTOTYPE = new Map<unknown, number>(
  CLASSES.flatMap((Kind, code) => (Kind === undefined ? [] : [[Kind.prototype, code]])),
);
/** Typed arrays by code, those of plain bytes left out. Whoever has one copies from and to arrays of its own kind alone, which works alike for all. */
const NUMBERS = CLASSES.map((Kind, code) =>
  [UINT8, BUFFER, DATA_VIEW, ARRAY_BUFFER].includes(code) ? undefined : Kind,
);

export type ByteHolder = ArrayBufferView | ArrayBuffer;

export const isView = (value: object): value is ByteHolder => ArrayBuffer.isView(value) || value instanceof ArrayBuffer;

/** The code of a holder of bytes, or -1 for any other value: also for one of a class that someone derived from these. */
export function viewCodeOf(value: object): number {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Uint8Array.prototype) return ArrayBuffer.isView(value) ? UINT8 : -1;
  const code = CODE_BY_PROTOTYPE.get(prototype);
  return code !== undefined && (ArrayBuffer.isView(value) || code === ARRAY_BUFFER) ? code : -1;
}

/** Its memory was transferred to somebody else, or has shrunk under it. */
export function isGone(value: ByteHolder): boolean {
  try {
    if (value instanceof ArrayBuffer) new Uint8Array(value);
    else if (value instanceof DataView) void value.byteLength;
    else (value as Uint8Array).at(0);
    return false;
  } catch {
    return true;
  }
}

export function bytesOf(value: ByteHolder): Uint8Array {
  if (value instanceof Uint8Array) return value;
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
}

/** Where in `memory` a view lies; undefined: not there. */
export function offsetIn(memory: Uint8Array, { buffer, byteOffset, byteLength }: ArrayBufferView): number | undefined {
  const at = byteOffset - memory.byteOffset;
  return buffer === memory.buffer && at >= 0 && at + byteLength <= memory.byteLength ? at : undefined;
}

/**
 * All of `memory` as numbers of the kind that `code` names; undefined for bytes. Copied to and from there, arrays of 64 bytes and less stay in
 * V8's own heap: to ask one of them for its buffer moves it out, which takes five times as long as the copy.
 */
export function numbersOn(code: number, { buffer, byteOffset, byteLength }: Uint8Array): Int32Array | undefined {
  const Kind = NUMBERS[code];
  return Kind && new Kind(buffer, byteOffset, Math.floor(byteLength / Kind.BYTES_PER_ELEMENT));
}

/** A holder of its own memory with the bytes [at, at + length) of `from`. */
export function copyOut(code: number, from: Uint8Array, at: number, length: number): ByteHolder {
  if (code === BUFFER) {
    const buffer = Buffer.allocUnsafeSlow(length);
    buffer.set(from.subarray(at, at + length));
    return buffer;
  }
  const bytes = from.slice(at, at + length);
  if (code === UINT8) return bytes;
  return holderOn(code, bytes.buffer, 0, length);
}

/** A holder whose memory is that of `from`, or a copy where a view cannot be: an ArrayBuffer, or an unfit alignment. */
export function viewOf(code: number, from: Uint8Array, at: number, length: number): ByteHolder {
  const offset = from.byteOffset + at;
  if (code === UINT8) return new Uint8Array(from.buffer, offset, length);
  if (code === ARRAY_BUFFER || offset % 8 !== 0) return copyOut(code, from, at, length);
  return holderOn(code, from.buffer, offset, length);
}

function holderOn(code: number, memory: ArrayBufferLike, offset: number, length: number): ByteHolder {
  const Kind = NUMBERS[code];
  if (Kind !== undefined) return new Kind(memory, offset, length / Kind.BYTES_PER_ELEMENT);
  if (code === BUFFER) return Buffer.from(memory, offset, length);
  if (code === DATA_VIEW) return new DataView(memory, offset, length);
  if (code === ARRAY_BUFFER && memory instanceof ArrayBuffer) return memory;
  throw new Error(`No holder of bytes has code ${code}.`);
}
