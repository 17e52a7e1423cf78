/** Symbols that are the same in every thread, by a name that tells them apart. */
const WELL_KNOWN = new Map<string, symbol>();
for (const key of Object.getOwnPropertyNames(Symbol)) {
  const value: unknown = Symbol[key as keyof SymbolConstructor];
  if (typeof value === 'symbol') WELL_KNOWN.set(key, value);
}
const NAMES = new Map([...WELL_KNOWN].map(([name, symbol]) => [symbol, name]));

/** Undefined for a symbol that nobody else can have. */
export function nameOfSymbol(symbol: symbol): string | undefined {
  const key = Symbol.keyFor(symbol);
  if (key !== undefined) return `for ${key}`;
  const name = NAMES.get(symbol);
  return name === undefined ? undefined : `Symbol.${name}`;
}

export function symbolNamed(name: string): symbol {
  if (name.startsWith('for ')) return Symbol.for(name.slice('for '.length));
  const symbol = WELL_KNOWN.get(name.slice('Symbol.'.length));
  if (symbol === undefined) throw new Error(`${name} is no symbol of this version of Node.`);
  return symbol;
}
