import { describeThrown } from '../../../errors/thrown.ts';
import { VenturiError } from '../../../model/errors.ts';
import { type Codec, codecNamed, codecOf } from './codecs.ts';
import { FEW_NUMBERS, numbersIn } from './look.ts';
import { PLATFORM, tagOf } from './platform.ts';
import { classNameOf, Refusal } from './refusal.ts';
import { nameOfSymbol, symbolNamed } from './symbols.ts';
import { type ByteHolder, isGone, isView, viewCodeOf } from './view.ts';

/**
 * An object in words that V8 copies faithfully: its class, what it takes to make one, what it holds, and its own properties as
 * key, whether it is enumerable, and value, one behind the other. Everything else stands for itself: only arrays are descriptions.
 */
type Description = [tag: number, atoms: readonly unknown[], items: unknown[], properties: unknown[]];

const SYMBOL = -1;
const CODEC = -2;
const VIEW = -3;

/** Describes values that V8 would copy as something else, or not at all. Each object once: what is shared stays shared. */
export class Describer {
  readonly #described = new Map<object, Description>();
  /** From the value down to where it is, and which of these are encoded by a codec. */
  readonly #within: object[] = [];
  readonly #steps: string[] = [];
  #lastCodec = -1;

  describe(value: unknown): unknown {
    switch (typeof value) {
      case 'symbol': {
        const name = nameOfSymbol(value);
        if (name === undefined) throw this.#refuse('of type symbol', 'symbol');
        return [SYMBOL, [name], [], []] satisfies Description;
      }
      case 'function':
        throw this.#refuse('of type function', 'function');
      case 'object':
        return value === null ? value : this.#object(value);
      default:
        return value;
    }
  }

  #refuse(what: string, type: string, cause?: unknown): Refusal {
    return new Refusal(this.#steps.join(''), what, type, cause);
  }

  #object(value: object): unknown {
    const known = this.#described.get(value);
    if (known !== undefined) {
      if (this.#lastCodec >= 0 && this.#within.lastIndexOf(value, this.#lastCodec) >= 0) {
        throw this.#refuse(`within itself by way of the codec of ${classNameOf(this.#encoding)}`, classNameOf(value));
      }
      return known;
    }
    const prototype = Object.getPrototypeOf(value) as object | null;
    const codec = prototype === null ? undefined : codecOf(prototype);
    if (codec !== undefined) return this.#encoded(value, codec);
    if (isView(value)) return this.#view(value);
    const tag = tagOf(value, prototype);
    const platform = tag === undefined ? undefined : PLATFORM[tag];
    if (tag === undefined || platform === undefined) {
      const name = classNameOf(value);
      throw this.#refuse(name === 'Object' ? 'of a class without a name' : `of class ${name}`, name);
    }
    const description: Description = [tag, platform.atoms(value).map(atom => this.describe(atom)), [], []];
    this.#described.set(value, description);
    this.#within.push(value);
    for (const [at, item] of platform.items?.(value).entries() ?? []) {
      description[2].push(this.#part(stepTo(value, at), item));
    }
    this.#properties(value, description[3], key => platform.owns?.(key, value) === true);
    this.#within.pop();
    return description;
  }

  #part(step: string, value: unknown): unknown {
    this.#steps.push(step);
    const described = this.describe(value);
    this.#steps.pop();
    return described;
  }

  #properties(value: object, into: unknown[], isKnown: (key: string | symbol) => boolean): void {
    for (const key of Reflect.ownKeys(value)) {
      if (isKnown(key)) continue;
      const own = Object.getOwnPropertyDescriptor(value, key);
      if (own === undefined) continue;
      this.#steps.push(stepBy(value, key));
      // The stack of an error is a getter in some versions of V8.
      if (own.get !== undefined && !(key === 'stack' && value instanceof Error)) {
        throw this.#refuse('read by a getter', 'getter');
      }
      if (own.set !== undefined && own.get === undefined) throw this.#refuse('written by a setter', 'setter');
      const described = this.describe(own.get === undefined ? own.value : (value as Error).stack);
      into.push(typeof key === 'symbol' ? this.describe(key) : key, own.enumerable === true, described);
      this.#steps.pop();
    }
  }

  /** Its numbers are properties, too: a long one is not searched for others. */
  #view(value: ByteHolder): unknown {
    if (viewCodeOf(value) < 0) throw this.#refuse(`of class ${classNameOf(value)}`, classNameOf(value));
    if (isGone(value)) {
      throw this.#refuse(`of class ${classNameOf(value)}, and its memory was transferred or has shrunk`, 'memory');
    }
    const description: Description = [VIEW, [], [value], []];
    this.#described.set(value, description);
    this.#within.push(value);
    const numbers = numbersIn(value);
    const isNumber = (key: string | symbol): boolean => typeof key === 'string' && Number(key) < numbers;
    if (numbers <= FEW_NUMBERS) this.#properties(value, description[3], isNumber);
    this.#within.pop();
    return description;
  }

  get #encoding(): object {
    return this.#within[this.#lastCodec] ?? {};
  }

  #encoded(value: object, codec: Codec): unknown {
    const { name } = codec;
    if (codecNamed(name) !== codec) {
      throw this.#refuse(`of a class whose codec '${name}' was defined again since for another class`, name);
    }
    const description: Description = [CODEC, [name], [], []];
    this.#described.set(value, description);
    const outer = this.#lastCodec;
    this.#lastCodec = this.#within.push(value) - 1;
    let data: unknown;
    try {
      data = codec.encode(value);
    } catch (cause) {
      throw this.#refuse(
        `of class ${classNameOf(value)}, whose codec '${name}' threw ${describeThrown(cause)}`,
        name,
        cause,
      );
    }
    description[2].push(this.#part(` as encoded by '${name}'`, data));
    this.#within.pop();
    this.#lastCodec = outer;
    return description;
  }
}

const stepBy = (value: object, key: string | symbol): string => {
  if (typeof key === 'symbol') return `[${String(key)}]`;
  return Array.isArray(value) ? `[${key}]` : `.${key}`;
};

function stepTo(value: object, at: number): string {
  if (!(value instanceof Map)) return ' item';
  const key: unknown = [...value.keys()][at >> 1];
  return at % 2 === 0 ? ' key' : `.get(${JSON.stringify(typeof key === 'object' ? '…' : String(key))})`;
}

const codecMissing = (name: string): VenturiError =>
  new VenturiError('VENTURI_CODEC_MISSING', `an element was encoded by '${name}', and there is no such codec here`, {
    remedy: 'define it where the module is imported, not in a function, so that every thread has it',
  });

const decodingFailed = (name: string, what: string, cause?: unknown): VenturiError =>
  new VenturiError('VENTURI_USER_FUNCTION', `the codec '${name}' ${what}`, {
    remedy: 'let its decode() make of what encode() gave an instance of the same class',
    cause,
  });

function decode(codec: Codec, data: unknown): unknown {
  try {
    return codec.decode(data);
  } catch (cause) {
    throw decodingFailed(codec.name, `threw ${describeThrown(cause)} when it decoded an element`, cause);
  }
}

/** Makes what was described. */
export class Restorer {
  readonly #restored = new Map<Description, object>();

  restore(described: unknown): unknown {
    if (!Array.isArray(described)) return described;
    const description = described as unknown as Description;
    const [tag, atoms, items, properties] = description;
    if (tag === SYMBOL) return symbolNamed(atoms[0] as string);
    const known = this.#restored.get(description);
    if (known !== undefined) return known;
    if (tag === CODEC) return this.#decoded(description);
    const platform = PLATFORM[tag];
    const made = tag === VIEW ? (items[0] as object) : platform?.make(atoms.map(atom => this.restore(atom)));
    if (made === undefined) throw new Error(`No class has tag ${tag}.`);
    this.#restored.set(description, made);
    platform?.fill?.(
      made,
      items.map(item => this.restore(item)),
    );
    for (let at = 0; at < properties.length; at += 3) {
      Object.defineProperty(made, this.restore(properties[at]) as string | symbol, {
        value: this.restore(properties[at + 2]),
        enumerable: properties[at + 1] as boolean,
        writable: true,
        configurable: true,
      });
    }
    return made;
  }

  #decoded(description: Description): object {
    const [, [name], [data]] = description;
    const codec = codecNamed(name as string);
    if (codec === undefined) throw codecMissing(name as string);
    const made = decode(codec, this.restore(data));
    if (typeof made !== 'object' || made === null || Object.getPrototypeOf(made) !== codec.prototype) {
      throw decodingFailed(codec.name, 'did not decode an element to an instance of its class');
    }
    this.#restored.set(description, made);
    return made;
  }
}
