import { types } from 'node:util';
import { VenturiError } from '../../model/errors.ts';
import { checkKeys, integerText, type Json, packDate } from './python-values.ts';
import { refused, Unpackable } from './unpackable.ts';

/** Bytes to which every tensor's beginning is aligned: a cache line. */
const ALIGNMENT = 64;

/** Names of element types as the array interface of Python has them. */
const TYPES: Readonly<Record<string, string>> = {
  Int8Array: 'i1',
  Uint8Array: 'u1',
  Uint8ClampedArray: 'u1',
  Int16Array: 'i2',
  Uint16Array: 'u2',
  Int32Array: 'i4',
  Uint32Array: 'u4',
  BigInt64Array: 'i8',
  BigUint64Array: 'u8',
  Float16Array: 'f2',
  Float32Array: 'f4',
  Float64Array: 'f8',
};

/** Arrays that lie one behind the other and make one tensor. */
export interface Block {
  readonly offset: number;
  readonly arrays: readonly Uint8Array[];
}

/** An element in two parts: what JSON can say of it, and the bytes of its tensors. */
export interface PackedElement {
  readonly tree: string;
  readonly blocks: readonly Block[];
  /** From the beginning of the first block to the end of the last. */
  readonly bytes: number;
}

interface Tensor {
  readonly type: string;
  readonly shape: readonly number[];
  readonly arrays: readonly Uint8Array[];
}

/** Divides an element into what JSON can say and the tensors it refers to. Objects with a `$` say what JSON has no word for. */
export function packElement(element: unknown): PackedElement {
  const blocks: Block[] = [];
  let bytes = 0;
  const above: unknown[] = [];

  const placed = ({ type, shape, arrays }: Tensor): Json => {
    const offset = Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
    blocks.push({ offset, arrays });
    bytes = offset + arrays.reduce((sum, { byteLength }) => sum + byteLength, 0);
    return { $: 'tensor', type, shape, offset };
  };

  const inside = <T extends object>(value: T, pack: (value: T) => Json): Json => {
    if (above.includes(value)) throw new Unpackable('an object that refers to itself');
    above.push(value);
    try {
      return pack(value);
    } finally {
      above.pop();
    }
  };

  const packObject = (value: object): Json => {
    const tensor = tensorOf(value);
    if (tensor !== undefined) return placed(tensor);
    if (Array.isArray(value)) return inside(value, items => items.map((item, at) => packPart(`[${at}]`, item)));
    if (value instanceof Date) return packDate(value);
    if (value instanceof Map) {
      return inside(value, map => {
        const items = [...map].map(([key, item]) => [packPart('.keys()', key), packPart('.values()', item)] as const);
        checkKeys(
          'a Map',
          items.map(([key]) => key),
        );
        return { $: 'map', items };
      });
    }
    if (value instanceof Set) {
      return inside(value, set => {
        const items = [...set].map(item => packPart('.values()', item));
        checkKeys('a Set', items);
        return { $: 'set', items };
      });
    }
    if (types.isBoxedPrimitive(value)) return pack(value.valueOf());
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null) {
      throw new Unpackable(`an instance of ${nameOf(prototype)}`);
    }
    const shaped = shapedData(value);
    return inside(value, whole => {
      const items = Object.entries(whole).map(([key, item]): [string, Json] => [
        key,
        key === 'data' && shaped !== undefined ? placed(shaped) : packPart(`.${key}`, item),
      ]);
      return '$' in whole ? { $: 'map', items } : Object.fromEntries(items);
    });
  };

  const pack = (value: unknown): Json => {
    switch (typeof value) {
      case 'string':
      case 'boolean':
        return value;
      case 'number':
        return Number.isFinite(value) && !Object.is(value, -0) ? value : { $: 'float', text: textOf(value) };
      case 'undefined':
        return null;
      case 'bigint':
        return { $: 'int', text: integerText(value) };
      case 'object':
        return value === null ? null : packObject(value);
      default:
        throw new Unpackable(`a ${typeof value}`);
    }
  };

  const packPart = (step: string, value: unknown): Json => {
    try {
      return pack(value);
    } catch (error) {
      throw error instanceof Unpackable ? error.below(step) : error;
    }
  };

  try {
    const tree = JSON.stringify(pack(element));
    return { tree, blocks, bytes };
  } catch (error) {
    throw refused(error);
  }
}

/** The bytes of a packed element, as they lie in a slot. */
export function gathered({ blocks, bytes }: PackedElement): Uint8Array {
  const whole = new Uint8Array(bytes);
  for (const { offset, arrays } of blocks) {
    let at = offset;
    for (const array of arrays) {
      whole.set(array, at);
      at += array.byteLength;
    }
  }
  return whole;
}

/** What becomes one tensor: a typed array, one with a shape, or equal ones of either in an array, which are stacked. */
function tensorOf(value: object): Tensor | undefined {
  if (!Array.isArray(value))
    return flatTensor(value) ?? (isShaped(value) ? withShape(value.data, value.shape) : undefined);
  const [first, ...others] = value.map(item =>
    typeof item === 'object' && item !== null && !Array.isArray(item) ? tensorOf(item) : undefined,
  );
  if (first === undefined) return undefined;
  const shape = String(first.shape);
  const arrays = [...first.arrays];
  for (const other of others) {
    if (other === undefined || other.type !== first.type || String(other.shape) !== shape) return undefined;
    arrays.push(...other.arrays);
  }
  return { type: first.type, shape: [value.length, ...first.shape], arrays };
}

function flatTensor(value: object): Tensor | undefined {
  if (types.isTypedArray(value)) {
    const type = TYPES[value[Symbol.toStringTag]];
    if (type === undefined) throw new Unpackable(`a ${value[Symbol.toStringTag]}`);
    return { type, shape: [value.length], arrays: [bytesOf(value)] };
  }
  if (types.isDataView(value)) return { type: 'u1', shape: [value.byteLength], arrays: [bytesOf(value)] };
  if (!types.isAnyArrayBuffer(value)) return undefined;
  return { type: 'u1', shape: [value.byteLength], arrays: [new Uint8Array(value)] };
}

const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

interface Shaped {
  readonly data: object;
  readonly shape: readonly number[];
}

/** `{ data, shape }` and nothing else. */
const isShaped = (value: object): value is Shaped =>
  'data' in value &&
  'shape' in value &&
  types.isTypedArray(value.data) &&
  Array.isArray(value.shape) &&
  Object.keys(value).length === 2;

function withShape(data: object, shape: readonly number[]): Tensor {
  const flat = flatTensor(data);
  const size = shape.reduce((product, length) => product * length, 1);
  if (
    flat !== undefined &&
    size === flat.shape[0] &&
    shape.every(length => Number.isSafeInteger(length) && length >= 0)
  ) {
    return { ...flat, shape };
  }
  throw new VenturiError(
    'VENTURI_BAD_RECORD',
    `an array of ${flat?.shape[0]} numbers has the shape [${shape.join(', ')}]`,
    {
      remedy: 'give a shape of whole numbers whose product is the length of the array',
    },
  );
}

/** The `data` of what the engine itself makes, by what stands beside it: a padded batch, an image. */
function shapedData(value: object): Tensor | undefined {
  const { data, rows, columns, width, height, channels } = value as Readonly<Record<string, unknown>>;
  if (!types.isTypedArray(data)) return undefined;
  for (const shape of [
    [rows, columns],
    [height, width, channels],
  ]) {
    const isShape = (lengths: readonly unknown[]): lengths is number[] =>
      lengths.every(length => typeof length === 'number');
    if (isShape(shape) && shape.reduce((product, length) => product * length, 1) === data.length) {
      return withShape(data, shape);
    }
  }
  return undefined;
}

const textOf = (value: number): string => (Object.is(value, -0) ? '-0' : `${value}`);

const nameOf = (prototype: unknown): string =>
  (prototype as { readonly constructor?: { readonly name?: string } }).constructor?.name || 'a class';
