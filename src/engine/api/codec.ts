import type { VenturiError } from '../../model/errors.ts';
import { badOption } from '../../model/option.ts';
import { addCodec } from '../runtime/chunk/index.ts';

/** How instances of a class travel. */
export interface CodecSpec<T extends object, D> {
  /** Tells codecs apart in all threads, in caches and in checkpoints. */
  readonly name: string;
  readonly class: abstract new (...args: never[]) => T;
  /** What it takes to make another one: anything that can travel itself. */
  encode(value: T): D;
  /** Makes an instance of the class itself. */
  decode(data: D): T;
}

/**
 * Lets instances of a class of your own be elements, or parts of them, between threads, in caches and in checkpoints. Call it where the
 * module is imported, beside the class: every worker imports the same module.
 */
export function defineCodec<T extends object, D>(spec: CodecSpec<T, D>): void {
  const { name, class: of, encode, decode } = spec;
  if (typeof name !== 'string' || name === '') throw bad('a codec needs a name');
  if (typeof of !== 'function' || typeof of.prototype !== 'object' || of.prototype === null) {
    throw bad(`the codec '${name}' needs a class`);
  }
  if (typeof encode !== 'function' || typeof decode !== 'function') {
    throw bad(`the codec '${name}' needs two functions, encode and decode`);
  }
  addCodec({
    name,
    prototype: of.prototype as object,
    encode: value => spec.encode(value as T),
    decode: data => spec.decode(data as D),
    text: [of, encode, decode].join('\n'),
  });
}

const bad = (what: string): VenturiError =>
  badOption(
    what,
    "call defineCodec({ name: 'Point', class: Point, encode: p => [p.x, p.y], decode: ([x, y]) => new Point(x, y) })",
  );
