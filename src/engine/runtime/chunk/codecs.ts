import { createHash } from 'node:crypto';
import { VenturiError } from '../../../model/errors.ts';

/** How instances of one class are written as something that can travel, and made again. */
export interface Codec {
  readonly name: string;
  readonly prototype: object;
  encode(value: object): unknown;
  decode(data: unknown): unknown;
  /** Whoever has the same text was made by the same lines of the same module. */
  readonly text: string;
}

/** Those of this thread. Every worker imports the module that defines them, and so has the same. */
const byPrototype = new Map<object, Codec>();
const byName = new Map<string, Codec>();

/** A module that is imported again brings its classes again: the newest are those that are made. */
export function addCodec(codec: Codec): void {
  const known = byName.get(codec.name);
  if (known !== undefined && known.text !== codec.text) {
    throw new VenturiError('VENTURI_DUPLICATE_NAME', `two codecs are called '${codec.name}'`, {
      remedy: 'give one of them another name',
    });
  }
  const other = byPrototype.get(codec.prototype);
  if (other !== undefined && other.name !== codec.name) {
    throw new VenturiError(
      'VENTURI_DUPLICATE_NAME',
      `the class of codec '${codec.name}' has a codec already, '${other.name}'`,
      { remedy: 'define one codec for each class' },
    );
  }
  byName.set(codec.name, codec);
  byPrototype.set(codec.prototype, codec);
}

/** Of the very class: what a subclass adds its parent's codec does not know. */
export const codecOf = (prototype: object): Codec | undefined => byPrototype.get(prototype);

export const codecNamed = (name: string): Codec | undefined => byName.get(name);

/** Changes with every codec: what one wrote another may not be able to read. */
export function codecsDigest(): string {
  const hash = createHash('sha256');
  for (const [name, { text }] of [...byName].sort(([a], [b]) => (a < b ? -1 : 1))) hash.update(`${name}\n${text}\n`);
  return hash.digest('hex');
}
