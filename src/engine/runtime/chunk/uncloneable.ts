import { serialize } from 'node:v8';
import { VenturiError } from '../../../model/errors.ts';

/** V8 refused to write a value; which one, it does not say. */
export class CloneFailure extends Error {
  constructor(cause: unknown) {
    super('A value cannot be cloned.', { cause });
  }
}

interface Culprit {
  readonly path: string;
  readonly type: string;
}

/** Deeper than this a path tells the reader nothing. */
const DEEPEST = 16;

/** Finds the first element that cannot cross to another thread and says where in it the trouble is. */
export function uncloneable(values: readonly unknown[], from: number, to: number, cause: unknown): VenturiError {
  let i = from;
  while (i < to - 1 && canBeCloned(values[i])) i++;
  const problem = `Element ${i - from} of a chunk cannot be sent to another thread`;
  if (cause instanceof RangeError) {
    const remedy = 'Return flatter data, for instance a list instead of a chain of objects.';
    return new VenturiError('VENTURI_NOT_CLONEABLE', `${problem}: it is nested too deeply.`, { remedy, cause });
  }
  const { path, type } = culpritIn(values[i], '', new Set());
  const part = path === '' ? 'it' : `its ${path}`;
  return new VenturiError('VENTURI_NOT_CLONEABLE', `${problem}: ${part} is of type ${type}.`, {
    remedy: remedyFor(type),
    cause,
  });
}

function remedyFor(type: string): string {
  if (type === 'Promise') return 'Declare the function async so that the engine awaits it.';
  return 'Return plain data: numbers, strings, byte arrays, lists and objects of these, Map, Set or Date.';
}

function canBeCloned(value: unknown): boolean {
  try {
    serialize(value);
    return true;
  } catch {
    return false;
  }
}

function describe(value: unknown): string {
  if (typeof value !== 'object') return typeof value;
  return Object.prototype.toString.call(value).slice('[object '.length, -1);
}

/** Depth first; each object is entered once. */
function culpritIn(value: unknown, path: string, entered: Set<unknown>): Culprit {
  entered.add(value);
  if (typeof value === 'object' && value !== null && entered.size < DEEPEST) {
    for (const [step, part] of partsOf(value)) {
      if (!entered.has(part) && !canBeCloned(part)) return culpritIn(part, path + step, entered);
    }
  }
  return { path, type: describe(value) };
}

function* partsOf(value: object): Iterable<[string, unknown]> {
  if (value instanceof Map) {
    for (const [key, item] of value) {
      yield [' key', key];
      yield [`.get(${JSON.stringify(String(key))})`, item];
    }
  } else if (value instanceof Set) {
    for (const item of value) yield [' item', item];
  } else if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) yield [`[${i}]`, item];
  } else if (!ArrayBuffer.isView(value)) {
    for (const [key, item] of Object.entries(value)) yield [`.${key}`, item];
  }
}
