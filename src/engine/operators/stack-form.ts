import { types } from 'node:util';
import type { NumberArray, NumberArrays, NumberArrayType } from '../contract/tensor.ts';

/** Where an element's numbers go: the rows of one array, `numbers` of each element. */
export interface NumbersForm {
  readonly kind: 'numbers';
  /** How they stand in an element. */
  readonly as: 'array' | 'tensor' | 'image' | 'number' | 'bigint';
  readonly type: NumberArrayType<keyof NumberArrays>;
  readonly shape: readonly number[];
  readonly numbers: number;
}

/** What is no number is kept in a list. */
interface ListForm {
  readonly kind: 'list';
}

/** An object, or an array of a length, and the forms of what is in it. */
export interface TreeForm {
  readonly kind: 'tree';
  readonly isArray: boolean;
  readonly keys: readonly string[];
  readonly parts: readonly Form[];
}

/** What elements have in common that can be stacked. */
export type Form = NumbersForm | ListForm | TreeForm;

/** As many arrays may become of a batch. */
const MOST_PARTS = 64;

const { Float16Array } = globalThis as { Float16Array?: NumberArrayType<keyof NumberArrays> };

const TYPES: Readonly<Record<keyof NumberArrays, NumberArrayType<keyof NumberArrays>>> = {
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
  // From Node 24 on.
  ...(Float16Array && { Float16Array }),
};

const LIST: ListForm = { kind: 'list' };
const SCALAR: readonly number[] = [];

/** The form of an element; undefined: it has none. */
export function formOf(value: unknown): Form | undefined {
  switch (typeof value) {
    case 'number':
      return { kind: 'numbers', as: 'number', type: Float64Array, shape: SCALAR, numbers: 1 };
    case 'bigint':
      return { kind: 'numbers', as: 'bigint', type: BigInt64Array, shape: SCALAR, numbers: 1 };
    case 'object':
      return value === null || value instanceof Date ? LIST : formOfObject(value);
    default:
      return isListed(value) ? LIST : undefined;
  }
}

/** Goes into a list: what is no number, and holds none. */
const isListed = (value: unknown): boolean =>
  typeof value === 'string' ||
  typeof value === 'boolean' ||
  value === undefined ||
  value === null ||
  value instanceof Date;

function formOfObject(value: object): Form | undefined {
  const numbers = numbersIn(value);
  if (numbers !== undefined || isShaped(value)) return numbers;
  const isArray = Array.isArray(value);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (!isArray && prototype !== Object.prototype && prototype !== null) return undefined;
  const keys = Object.keys(value);
  if (keys.length > MOST_PARTS || (isArray && !isListOf(value, keys))) return undefined;
  const parts: Form[] = [];
  for (const key of keys) {
    const part = formOf((value as Readonly<Record<string, unknown>>)[key]);
    if (part === undefined) return undefined;
    parts.push(part);
  }
  return { kind: 'tree', isArray, keys, parts };
}

/** An array has these keys and an item for each: no holes, and nothing beside its items. What has been matched by a `RegExp` has its groups there. */
const isListOf = ({ length }: readonly unknown[], keys: readonly string[]): boolean =>
  keys.length === length && (length === 0 || keys[length - 1] === String(length - 1));

/** A typed array, one with a shape, or an image. */
function numbersIn(value: object): NumbersForm | undefined {
  const own = arrayIn(value);
  if (own !== undefined) return { kind: 'numbers', as: 'array', ...own, shape: [own.numbers] };
  const shape = shapeIn(value);
  const array = shape && arrayIn((value as { readonly data: object }).data);
  if (array === undefined || product(shape?.lengths ?? []) !== array.numbers) return undefined;
  return { kind: 'numbers', as: shape?.as ?? 'tensor', ...array, shape: shape?.lengths ?? [] };
}

/** Numbers with a shape, be it theirs or not. */
const isShaped = (value: object): boolean => shapeIn(value) !== undefined;

const product = (lengths: readonly number[]): number => lengths.reduce((numbers, length) => numbers * length, 1);

function arrayIn(value: object): Pick<NumbersForm, 'type' | 'numbers'> | undefined {
  if (!types.isTypedArray(value)) return undefined;
  const name: string = value[Symbol.toStringTag];
  const type = Object.hasOwn(TYPES, name) ? TYPES[name as keyof NumberArrays] : undefined;
  return type && { type, numbers: value.length };
}

const isLength = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

/** What stands beside the numbers, and nothing else does. */
function shapeIn(value: object): { readonly as: 'tensor' | 'image'; readonly lengths: readonly number[] } | undefined {
  const { data, shape, width, height, channels } = value as Readonly<Record<string, unknown>>;
  if (!types.isTypedArray(data)) return undefined;
  const others = Object.keys(value).length - 1;
  if (others === 1 && Array.isArray(shape) && shape.every(isLength)) return { as: 'tensor', lengths: [...shape] };
  const lengths = [height, width, channels];
  return others === 3 && lengths.every(isLength) ? { as: 'image', lengths } : undefined;
}

/** The numbers of `value`, which has this form: an array of them, or one alone. */
export const numbersOf = ({ as }: NumbersForm, value: unknown): NumberArray | number | bigint =>
  (as === 'tensor' || as === 'image' ? (value as { readonly data: NumberArray }).data : value) as NumberArray;

/** Whether `value` has this form, looked at without making its own. */
export function hasForm(form: Form, value: unknown): boolean {
  switch (form.kind) {
    case 'numbers':
      return hasNumbers(form, value);
    case 'list':
      return isListed(value);
    case 'tree':
      return hasParts(form, value);
  }
}

function hasNumbers(form: NumbersForm, value: unknown): boolean {
  if (typeof value === 'number' || typeof value === 'bigint') return form.as === typeof value;
  if (typeof value !== 'object' || value === null) return false;
  const own = numbersIn(value);
  return own !== undefined && own.as === form.as && own.type === form.type && isShape(own.shape, form.shape);
}

const isShape = (shape: readonly number[], other: readonly number[]): boolean =>
  shape.length === other.length && shape.every((length, at) => length === other[at]);

function hasParts({ isArray, keys, parts }: TreeForm, value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value) !== isArray) return false;
  const own = Object.keys(value);
  if (own.length !== keys.length) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (!isArray && prototype !== Object.prototype && prototype !== null) return false;
  return parts.every((part, at) => {
    const key = keys[at] ?? '';
    return Object.hasOwn(value, key) && hasForm(part, (value as Readonly<Record<string, unknown>>)[key]);
  });
}

/** What is wrong with an element, in words: where in it, what is there, and what should be. */
interface Misfit {
  readonly path: string;
  readonly what: string;
  readonly wanted: string | undefined;
}

/** The first place where `value` has not the form of others, or none at all; undefined: there is none. */
export function misfitOf(form: Form | undefined, value: unknown, path = ''): Misfit | undefined {
  if (form === undefined ? formOf(value) !== undefined : hasForm(form, value)) return undefined;
  const misfit = { path, what: inWords(value), wanted: form && formInWords(form) };
  const tree = form ?? looseTree(value);
  if (tree?.kind !== 'tree' || typeof value !== 'object' || value === null) return misfit;
  if (Array.isArray(value) !== tree.isArray || Object.keys(value).length !== tree.keys.length) return misfit;
  for (const [at, key] of tree.keys.entries()) {
    if (!Object.hasOwn(value, key)) return misfit;
    const part = form === undefined ? undefined : tree.parts[at];
    const below = tree.isArray ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;
    const inside = misfitOf(part, (value as Readonly<Record<string, unknown>>)[key], below);
    if (inside !== undefined) return inside;
  }
  return misfit;
}

/** Something with parts, one of which may have no form. */
function looseTree(value: unknown): TreeForm | undefined {
  if (typeof value !== 'object' || value === null || types.isTypedArray(value) || isShaped(value)) return undefined;
  const isArray = Array.isArray(value);
  const keys = Object.keys(value);
  const isTree = (isArray || Object.getPrototypeOf(value) === Object.prototype) && keys.length <= MOST_PARTS;
  return isTree ? { kind: 'tree', isArray, keys, parts: [] } : undefined;
}

function formInWords(form: Form): string {
  if (form.kind === 'list') return 'no number';
  if (form.kind === 'tree') {
    return form.isArray ? `an array of ${form.keys.length}` : `an object with ${form.keys.join(', ')}`;
  }
  const { as, type, shape } = form;
  return as === 'number' || as === 'bigint' ? `a ${as}` : `a ${type.name} of shape [${shape.join(', ')}]`;
}

/** What a value is, as far as that tells why it does not fit. */
export function inWords(value: unknown): string {
  if (typeof value !== 'object') return value === undefined ? 'undefined' : `a ${typeof value}`;
  if (value === null) return 'null';
  const form = formOf(value);
  if (form !== undefined && form.kind !== 'list') return formInWords(form);
  if (isShaped(value)) {
    const { data } = value as { readonly data: NumberArray };
    return `a ${data[Symbol.toStringTag]} of ${data.length} with a shape of other numbers`;
  }
  const items = Object.keys(value).length;
  if (items > MOST_PARTS && looksPlain(value)) return `${items} items, each of which would become an array`;
  if (Array.isArray(value) && !isListOf(value, Object.keys(value)))
    return 'an array with holes, or with more than its items';
  return `an instance of ${nameOf(value)}`;
}

const looksPlain = (value: object): boolean =>
  Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;

const nameOf = (value: object): string =>
  (Object.getPrototypeOf(value) as { readonly constructor?: { readonly name?: string } } | null)?.constructor?.name ??
  'no class';
