import { types } from 'node:util';

/** A value cannot be made again elsewhere; says which part of it, and why. */
export class Refusal extends Error {
  readonly path: string;
  readonly type: string;

  /** `what` it is, as in "it is of class Blob". */
  constructor(path: string, what: string, type: string, cause?: unknown) {
    super(`${path === '' ? 'it' : `its ${path}`} is ${what}`, cause === undefined ? undefined : { cause });
    this.path = path;
    this.type = type;
  }
}

/** What an object is called by those who read of it. */
export function classNameOf(value: object): string {
  if (types.isProxy(value)) return 'Proxy';
  for (let at: object | null = value; at !== null; at = Object.getPrototypeOf(at)) {
    const made: unknown = Object.getOwnPropertyDescriptor(at, 'constructor')?.value;
    if (at !== value && typeof made === 'function' && made.name !== '') return made.name;
  }
  return Object.prototype.toString.call(value).slice('[object '.length, -1);
}
