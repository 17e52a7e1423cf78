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

/** The code that is printed with all errors of a class of Node's; undefined: it is another class. */
export function codeOfPrototype(prototype: object): string | undefined {
  if (MARKS.length === 0 || !MARKS.every(mark => Object.hasOwn(prototype, mark))) return undefined;
  return /^ \[(.*)\]: $/.exec(prototype.toString.call({ name: '', message: '' }))?.[1];
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
