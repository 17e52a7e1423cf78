const WORD = 8;
const ITEMS_LOOKED_AT = 8;
const DEEPEST = 4;

/** Rough bytes of one element as encoded. Looks at few items and not far down, so it may be called on the hot path now and then. */
export function sizeOf(value: unknown): number {
  return sizeAt(value, 0);
}

function sizeAt(value: unknown, depth: number): number {
  switch (typeof value) {
    case 'number':
      return (value | 0) === value ? 4 : WORD;
    case 'string':
      return value.length + 3;
    case 'boolean':
      return 1;
    case 'object':
      return value === null ? 1 : sizeOfObject(value, depth);
    case 'undefined':
      return 1;
    default:
      return WORD;
  }
}

function sizeOfObject(value: object, depth: number): number {
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return bytesIn(value) + WORD;
  if (value instanceof Map) return sizeOfItems([...first(value)].flat(), value.size * 2, depth);
  if (value instanceof Set) return sizeOfItems([...first(value)], value.size, depth);
  if (Array.isArray(value)) return sizeOfItems(value, value.length, depth);
  if (depth === DEEPEST) return WORD;
  let bytes = 0;
  for (const item of Object.values(value)) bytes += sizeAt(item, depth + 1);
  return bytes;
}

/** V8 keeps the numbers of smaller arrays beside its objects, where they cost next to nothing. */
export const IN_HEAP_BYTES = 64;

/** What each thing in an element counts for. */
interface Weights {
  readonly string: number;
  readonly object: number;
  buffer(bytes: number): number;
}

const ARRAYS: Weights = { string: 0, object: 0, buffer: bytes => (bytes > IN_HEAP_BYTES ? 1 : 0) };
const OBJECTS: Weights = { string: 1, object: 1, buffer: () => 0 };

/** Typed arrays and buffers in one element that have memory of their own; of a list, as many as a few of its items have. */
export const arraysIn = (value: unknown): number => counted(value, ARRAYS, 0);

/** Heap objects in one element: objects, lists and texts, each of which the receiving thread allocates again; of a list, as many as a few of its items have. */
export const objectsIn = (value: unknown): number => counted(value, OBJECTS, 0);

function counted(value: unknown, weights: Weights, depth: number): number {
  if (typeof value === 'string') return weights.string;
  if (typeof value !== 'object' || value === null || depth === DEEPEST) return 0;
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return weights.buffer(bytesIn(value));
  if (!Array.isArray(value)) {
    return Object.values(value).reduce<number>((sum, item) => sum + counted(item, weights, depth + 1), weights.object);
  }
  const looked = Math.min(value.length, ITEMS_LOOKED_AT);
  let sum = 0;
  for (let i = 0; i < looked; i++) sum += counted(value[Math.floor((i * value.length) / looked)], weights, depth + 1);
  return looked === 0 ? weights.object : weights.object + (sum / looked) * value.length;
}

function* first<T>(items: Iterable<T>): Iterable<T> {
  let left = ITEMS_LOOKED_AT;
  for (const item of items) {
    if (left-- === 0) return;
    yield item;
  }
}

/** The mean of a few items spread over the list, times its length. */
function sizeOfItems(items: readonly unknown[], length: number, depth: number): number {
  if (length === 0 || depth === DEEPEST) return 4 + length * WORD;
  const looked = Math.min(items.length, ITEMS_LOOKED_AT);
  let bytes = 0;
  for (let i = 0; i < looked; i++) bytes += sizeAt(items[Math.floor((i * items.length) / looked)], depth + 1);
  return 4 + (bytes / looked) * length;
}

/** None where its memory was given away: a DataView throws then. */
function bytesIn(value: ArrayBufferView | ArrayBuffer): number {
  try {
    return value.byteLength;
  } catch {
    return 0;
  }
}
