/** Deeper values are taken for others: a circle never ends. */
const DEEPEST = 64;

/** Whether a value is what comes back when it is written as JSON and read again. */
export function isJson(value: unknown, depth = 0): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true;
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0);
    case 'object':
      return value === null || (depth < DEEPEST && isJsonObject(value, depth));
    default:
      return false;
  }
}

function isJsonObject(value: object, depth: number): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  const isList = Array.isArray(value) && prototype === Array.prototype;
  if (!isList && prototype !== Object.prototype) return false;
  const own = Reflect.ownKeys(value).filter(key => !(isList && key === 'length'));
  if (isList && own.length !== value.length) return false;
  return own.every(key => {
    const { enumerable, value: part } = Object.getOwnPropertyDescriptor(value, key) ?? {};
    return typeof key === 'string' && key !== 'toJSON' && enumerable === true && isJson(part, depth + 1);
  });
}
