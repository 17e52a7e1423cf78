import { AssertionError } from 'node:assert';
import { types } from 'node:util';
import { timeOf } from './date.ts';
import { codeOfPrototype, isBetween, nodeErrorPrototype, prototypeBetween } from './node-error.ts';
import { getter, items, method } from './platform-reader.ts';

/** A class of the platform: how its instances are told from others, taken apart and made again. */
export interface PlatformClass {
  readonly prototype: object | null;
  /** A prototype alone is no proof: anyone can inherit from it. */
  is(value: object): boolean;
  /** Primitives that it takes to make one. */
  atoms(value: object): readonly unknown[];
  make(atoms: readonly unknown[]): object;
  /** What one holds beside its own properties; may lead back to it. */
  items?(value: object): readonly unknown[];
  fill?(made: object, items: readonly unknown[]): void;
  /** Own keys that come with the atoms or the items. */
  owns?(key: string | symbol, value: object): boolean;
}

const NOTHING: readonly unknown[] = [];
const nothing = (): readonly unknown[] => NOTHING;

/** What V8 and Node tell from a plain object, whatever its prototype says. */
const BRANDS = [
  types.isProxy,
  types.isDate,
  types.isMap,
  types.isSet,
  types.isRegExp,
  types.isNativeError,
  types.isBoxedPrimitive,
  types.isAnyArrayBuffer,
  types.isArrayBufferView,
  types.isPromise,
  types.isWeakMap,
  types.isWeakSet,
  types.isGeneratorObject,
  types.isMapIterator,
  types.isSetIterator,
  types.isArgumentsObject,
  types.isModuleNamespaceObject,
  types.isExternal,
];
const isBare = (value: object): boolean => !Array.isArray(value) && !BRANDS.some(is => is(value));

const isIndex = (key: string | symbol): boolean =>
  typeof key === 'string' && /^(0|[1-9]\d*)$/.test(key) && Number(key) < 2 ** 32 - 1;

const plain: PlatformClass = { prototype: Object.prototype, is: isBare, atoms: nothing, make: () => ({}) };
const bare: PlatformClass = { prototype: null, is: isBare, atoms: nothing, make: () => Object.create(null) as object };

const list: PlatformClass = {
  prototype: Array.prototype,
  is: value => Array.isArray(value) && !types.isProxy(value),
  atoms: value => [(value as unknown[]).length],
  make: ([length]) => Object.assign([], { length }),
  owns: key => key === 'length',
};

const entriesOf = items<[unknown, unknown]>(Map.prototype);

const map: PlatformClass = {
  prototype: Map.prototype,
  is: types.isMap,
  atoms: nothing,
  make: () => new Map(),
  items: value => entriesOf(value).flat(1),
  fill: (made, items) => {
    for (let i = 0; i < items.length; i += 2) (made as Map<unknown, unknown>).set(items[i], items[i + 1]);
  },
};

const set: PlatformClass = {
  prototype: Set.prototype,
  is: types.isSet,
  atoms: nothing,
  make: () => new Set(),
  items: items(Set.prototype),
  fill: (made, items) => {
    for (const item of items) (made as Set<unknown>).add(item);
  },
};

const date: PlatformClass = {
  prototype: Date.prototype,
  is: types.isDate,
  atoms: value => [timeOf(value)],
  make: ([time]) => new Date(time as number),
};

const sourceOf = getter<string>(RegExp.prototype, 'source');
/** Asks the expression's own properties for each of its flags, so those are asked one by one. */
const FLAGS = Object.entries({
  d: 'hasIndices',
  g: 'global',
  i: 'ignoreCase',
  m: 'multiline',
  s: 'dotAll',
  u: 'unicode',
  v: 'unicodeSets',
  y: 'sticky',
}).flatMap(([flag, key]) => (key in RegExp.prototype ? [{ flag, isSet: getter<boolean>(RegExp.prototype, key) }] : []));
const flagsOf = (value: object): string => FLAGS.flatMap(({ flag, isSet }) => (isSet(value) ? [flag] : [])).join('');

const regExp: PlatformClass = {
  prototype: RegExp.prototype,
  is: types.isRegExp,
  atoms: value => [sourceOf(value), flagsOf(value), (value as RegExp).lastIndex],
  make: ([source, flags, lastIndex]) =>
    Object.assign(new RegExp(source as string, flags as string), { lastIndex: lastIndex as number }),
  owns: key => key === 'lastIndex',
};

function works(call: () => unknown): boolean {
  try {
    call();
    return true;
  } catch {
    return false;
  }
}

const hrefOf = getter<string>(URL.prototype, 'href');

const url: PlatformClass = {
  prototype: URL.prototype,
  is: value => works(() => hrefOf(value)),
  atoms: value => [hrefOf(value)],
  make: ([href]) => new URL(href as string),
};

const parametersOf = items<[string, string]>(URLSearchParams.prototype);

const searchParams: PlatformClass = {
  prototype: URLSearchParams.prototype,
  is: value => works(() => parametersOf(value)),
  atoms: value => parametersOf(value).flat(1),
  make: atoms => {
    const made = new URLSearchParams();
    for (let i = 0; i < atoms.length; i += 2) made.append(atoms[i] as string, atoms[i + 1] as string);
    return made;
  },
};

function boxed({ prototype }: { readonly prototype: object }, is: (value: object) => boolean): PlatformClass {
  const primitiveOf = method(prototype, 'valueOf');
  return { prototype, is, atoms: value => [primitiveOf(value)], make: ([value]) => Object(value) as object };
}

const text: PlatformClass = {
  ...boxed(String, types.isStringObject),
  owns: (key, value) => key === 'length' || (isIndex(key) && Number(key) < (value as unknown as string).length),
};

/** Their own properties, message and stack among them, are written like any other's. */
function withoutOwn(made: object): object {
  for (const key of Reflect.ownKeys(made)) Reflect.deleteProperty(made, key);
  return made;
}

/** V8 writes down where it was made, which nobody wants to know of a copy. */
function unstacked(make: () => Error): object {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return withoutOwn(make());
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

const ERRORS = [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError] as const;

const errorClass = (prototype: object, make: () => Error): PlatformClass => ({
  prototype,
  is: types.isNativeError,
  atoms: nothing,
  make: () => unstacked(make),
});

/** Node's own errors have a class for each code, which nobody else can get at. It is made again from the code. */
const nodeError: PlatformClass = {
  prototype: null,
  is: value => types.isNativeError(value) && nodeErrorClass(value) !== undefined,
  atoms: value => {
    const its = nodeErrorClass(value);
    return [its?.Base.name, its?.code, its?.hides];
  },
  make: ([base, code, hides]) => {
    const Base = ERRORS.find(({ name }) => name === base) ?? Error;
    const prototype = nodeErrorPrototype(Base, code as string);
    return Object.setPrototypeOf(
      unstacked(() => new Base()),
      hides === true ? prototypeBetween(prototype, Base) : prototype,
    ) as object;
  },
};

interface NodeErrorClass {
  readonly Base: ErrorConstructor;
  readonly code: string;
  /** Frames of its stack. */
  readonly hides: boolean;
}

function nodeErrorClass(value: object): NodeErrorClass | undefined {
  const own = Object.getPrototypeOf(value) as object;
  const hides = isBetween(own);
  const prototype = hides ? (Object.getPrototypeOf(own) as object) : own;
  const code = codeOfPrototype(prototype);
  const Base = ERRORS.find(each => Object.getPrototypeOf(prototype) === each.prototype);
  return code === undefined || Base === undefined ? undefined : { Base, code, hides };
}

const nameOf = getter<string>(DOMException.prototype, 'name');
const messageOf = getter<string>(DOMException.prototype, 'message');

const domException: PlatformClass = {
  prototype: DOMException.prototype,
  is: value => works(() => nameOf(value)),
  atoms: value => [messageOf(value), nameOf(value)],
  make: ([message, name]) => unstacked(() => new DOMException(message as string, name as string)),
};

/** In the order of their tags in what is written: new ones go to the end. */
export const PLATFORM: readonly PlatformClass[] = [
  plain,
  bare,
  list,
  map,
  set,
  date,
  regExp,
  url,
  searchParams,
  domException,
  ...ERRORS.map(Base => errorClass(Base.prototype, () => new Base())),
  errorClass(AggregateError.prototype, () => new AggregateError([])),
  errorClass(AssertionError.prototype, () => new AssertionError({})),
  boxed(Number, types.isNumberObject),
  text,
  boxed(Boolean, types.isBooleanObject),
  boxed(BigInt, types.isBigIntObject),
  boxed(Symbol, types.isSymbolObject),
  nodeError,
];

const tags = new Map(PLATFORM.flatMap((each, tag) => (each === nodeError ? [] : [[each.prototype, tag] as const])));
const NODE_ERROR = PLATFORM.indexOf(nodeError);

/** The tag of a value's class; undefined: it is not of the platform, or none that can be made again. */
export function tagOf(value: object, prototype: object | null): number | undefined {
  const tag = tags.get(prototype);
  if (tag !== undefined) return PLATFORM[tag]?.is(value) === true ? tag : undefined;
  return nodeError.is(value) ? NODE_ERROR : undefined;
}
