/** One of Node's own errors, to learn from what all of them look like. */
function sample(): object {
  try {
    Buffer.from(5 as unknown as string);
  } catch (error) {
    return error as object;
  }
  throw new Error('a number has become a Buffer');
}

const MODEL = Object.getPrototypeOf(sample()) as object;
const MARKS = Object.getOwnPropertySymbols(MODEL);
const prototypes = new Map<string, object>();

/** Those that leave frames out of their stack have a class of their own in between, with nothing in it. */
export function isBetween(prototype: object): boolean {
  const [only, ...more] = Reflect.ownKeys(prototype);
  return only === 'constructor' && more.length === 0 && isOfNode(Object.getPrototypeOf(prototype) as object | null);
}

const isOfNode = (prototype: object | null): boolean =>
  prototype !== null && MARKS.length > 0 && MARKS.every(mark => Object.hasOwn(prototype, mark));

/** The code that is printed with all errors of a class of Node's; undefined: it is another class. */
export function codeOfPrototype(prototype: object): string | undefined {
  if (!isOfNode(prototype)) return undefined;
  return /^ \[(.*)\]: $/.exec(prototype.toString.call({ name: '', message: '' }))?.[1];
}

const between = new Map<object, object>();

/** The class in between of those that leave frames out. */
export function prototypeBetween(inner: object, Base: ErrorConstructor): object {
  let prototype = between.get(inner);
  if (prototype === undefined) {
    prototype = Object.create(inner, { constructor: { get: () => Base, configurable: true } }) as object;
    between.set(inner, prototype);
  }
  return prototype;
}

/** What Node's errors of a code inherit from: they say their code when they are printed, and are otherwise of class `Base`. */
export function nodeErrorPrototype(Base: ErrorConstructor, code: string): object {
  const name = `${Base.name} ${code}`;
  let prototype = prototypes.get(name);
  if (prototype === undefined) {
    prototype = Object.create(Base.prototype) as object;
    for (const key of Reflect.ownKeys(MODEL)) {
      const own = Object.getOwnPropertyDescriptor(MODEL, key);
      if (own === undefined) continue;
      Object.defineProperty(prototype, key, key === 'constructor' ? { ...own, ...constructorOf(own, Base) } : own);
    }
    if (Object.hasOwn(MODEL, 'toString')) {
      Object.defineProperty(prototype, 'toString', {
        value(this: Error): string {
          return `${this.name} [${code}]: ${this.message}`;
        },
        writable: true,
        configurable: true,
        enumerable: false,
      });
    }
    prototypes.set(name, prototype);
  }
  return prototype;
}

const constructorOf = (own: PropertyDescriptor, Base: ErrorConstructor): PropertyDescriptor =>
  own.get === undefined ? { value: Base } : { get: () => Base };
