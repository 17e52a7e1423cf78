import { generate } from '../../compile/generated.ts';

/** Where a record's field comes from on decoding: an int32 or float64 column read in place, or an array decoded before. */
export const FROM_INTS = 'i';
export const FROM_DOUBLES = 'd';
export const FROM_ARRAY = 'a';

export type FieldSource = number | unknown[];
type Gather = (values: readonly unknown[], from: number, to: number) => unknown[][] | undefined;
type Build = (out: unknown[], i32: Int32Array, f64: Float64Array, ...sources: FieldSource[]) => unknown[];

/** Objects with more keys than this are tables in their own right, seldom alike. */
const MOST_KEYS = 64;
/** A stream of ever new key lists would compile for ever; beyond this many, new ones are cloned. */
const MOST_SHAPES = 256;

/** Stands before the keys of objects that have no prototype. */
const BARE = 'null';

/** A list of keys that objects of a chunk have in common, with the code that takes such objects apart. */
export interface Shape {
  readonly prototype: object | null;
  readonly keys: readonly string[];
  /** The keys as JSON in UTF-8, behind a mark where there is no prototype: how a chunk names the shape. */
  readonly name: Uint8Array;
  /** One array per key, or undefined when some value is not a plain object with exactly these keys in this order. */
  readonly gather: Gather;
}

export function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Whether a plain object is of this shape: it has exactly these keys in this order. */
export function hasShape(value: object, { keys, prototype }: Shape): boolean {
  if (Object.getPrototypeOf(value) !== prototype) return false;
  let k = 0;
  for (const key in value) if (key !== keys[k++]) return false;
  return k === keys.length;
}

/** Shapes met by one encoder. */
export class Shapes {
  readonly #byText = new Map<string, Shape>();

  /** The shape of a plain object, or undefined when it should be cloned whole. */
  of(value: object): Shape | undefined {
    const keys = Object.keys(value);
    if (keys.length > MOST_KEYS) return undefined;
    const prototype = Object.getPrototypeOf(value) as object | null;
    const text = (prototype === null ? BARE : '') + JSON.stringify(keys);
    const known = this.#byText.get(text);
    if (known !== undefined) return known;
    // In a literal `__proto__` sets the prototype instead of making a property.
    if (this.#byText.size === MOST_SHAPES || keys.includes('__proto__')) return undefined;
    const shape: Shape = { prototype, keys, name: Buffer.from(text), gather: compileGather(keys, prototype) };
    this.#byText.set(text, shape);
    return shape;
  }
}

/** Property reads and pushes of each shape's own: V8 sees one hidden class and one kind of array at each. */
function compileGather(keys: readonly string[], prototype: object | null): Gather {
  const columns = keys.map((_, i) => `c${i}`);
  return generate<Gather>(
    `function gather(values, from, to) {
      ${columns.map(column => `const ${column} = [];`).join(' ')}
      for (let i = from; i < to; i++) {
        const value = values[i];
        if (typeof value !== 'object' || value === null || getPrototypeOf(value) !== prototype) return undefined;
        let k = 0;
        for (const key in value) if (key !== keys[k++]) return undefined;
        if (k !== ${keys.length}) return undefined;
        ${keys.map((key, i) => `c${i}.push(value[${JSON.stringify(key)}]);`).join(' ')}
      }
      return [${columns.join(', ')}];
    }`,
    { keys, prototype, getPrototypeOf: Object.getPrototypeOf },
  );
}

/** The code that makes a decoder's objects: literals, so that all objects of one shape share one hidden class from birth. */
export class Builders {
  readonly #bySignature = new Map<string, Build>();

  /** `name` is the shape's, as text; `sources` has a letter per key. */
  of(name: string, sources: string): Build {
    const signature = sources + name;
    let build = this.#bySignature.get(signature);
    if (build === undefined) {
      build = compileBuild(name, sources);
      this.#bySignature.set(signature, build);
    }
    return build;
  }
}

function compileBuild(name: string, sources: string): Build {
  const isBare = name.startsWith(BARE);
  const keys = JSON.parse(isBare ? name.slice(BARE.length) : name) as string[];
  const fields = keys.map((key, i) => {
    const source = sources[i];
    const read = source === FROM_ARRAY ? `s${i}[i]` : `${source === FROM_INTS ? 'i32' : 'f64'}[s${i} + i]`;
    return `${JSON.stringify(key)}: ${read}`;
  });
  if (isBare) fields.unshift('__proto__: null');
  return generate<Build>(`function build(out, i32, f64${keys.map((_, i) => `, s${i}`).join('')}) {
    for (let i = 0; i < out.length; i++) out[i] = { ${fields.join(', ')} };
    return out;
  }`);
}
