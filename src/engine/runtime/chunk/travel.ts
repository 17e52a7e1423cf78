import { codecOf } from './codecs.ts';
import { tagOf } from './platform.ts';
import { nameOfSymbol } from './symbols.ts';
import { isView, viewCodeOf } from './view.ts';

const LOOKED_AT = 8;
const DEEPEST = 4;

/**
 * Whether an element could go to another thread, as far as can be told from a few of its parts and not far down: it may be asked on the
 * hot path now and then.
 */
export function canTravel(value: unknown, depth = 0): boolean {
  if (typeof value === 'function') return false;
  if (typeof value === 'symbol') return nameOfSymbol(value) !== undefined;
  if (typeof value !== 'object' || value === null || depth === DEEPEST) return true;
  const prototype = Object.getPrototypeOf(value) as object | null;
  if (prototype !== null && codecOf(prototype) !== undefined) return true;
  if (isView(value)) return viewCodeOf(value) >= 0;
  if (tagOf(value, prototype) === undefined) return false;
  return fewOf(value).every(part => canTravel(part, depth + 1));
}

function fewOf(value: object): unknown[] {
  if (Array.isArray(value)) {
    const looked = Math.min(value.length, LOOKED_AT);
    return Array.from({ length: looked }, (_, i) => value[Math.floor((i * value.length) / looked)] as unknown);
  }
  const parts: unknown[] = [];
  if (value instanceof Map || value instanceof Set) {
    for (const part of value) {
      if (parts.push(part) === LOOKED_AT) break;
    }
  }
  for (const key in value) {
    const own = Object.getOwnPropertyDescriptor(value, key);
    parts.push(own?.get ?? own?.set ?? own?.value);
    if (parts.length >= 2 * LOOKED_AT) break;
  }
  return parts;
}
