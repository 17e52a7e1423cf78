/** Reads what an object of a platform's class holds, also where it has properties of its own by the same names. */

type Key = string | symbol;

/** Calls a method of the class on `value`. */
export function method<T>(prototype: object, key: Key): (value: object) => T {
  const call = Reflect.get(prototype, key) as (this: object) => T;
  return value => Reflect.apply(call, value, []);
}

/** Asks a getter of the class. */
export function getter<T>(prototype: object, key: Key): (value: object) => T {
  const get = Reflect.getOwnPropertyDescriptor(prototype, key)?.get;
  if (get === undefined) throw new TypeError(`no getter ${String(key)}`);
  return value => Reflect.apply(get, value, []) as T;
}

/** Everything an iterator of the class gives. */
export function items<T>(prototype: object): (value: object) => T[] {
  const iterate = method<IterableIterator<T>>(prototype, Symbol.iterator);
  return value => [...iterate(value)];
}
