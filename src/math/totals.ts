/** Σ of(item), added up in the order given. */
export function sumOf<T>(items: Iterable<T>, of: (item: T) => number): number {
  let sum = 0;
  for (const item of items) sum += of(item);
  return sum;
}

/** The item with the highest value, of equals the first; undefined where there is none. */
export function highest<T>(items: Iterable<T>, of: (item: T) => number): T | undefined {
  let best: { readonly item: T; readonly value: number } | undefined;
  for (const item of items) {
    const value = of(item);
    if (best === undefined || value > best.value) best = { item, value };
  }
  return best?.item;
}

/** The greatest value; -∞ of none. `Math.max(...values)` overflows the stack where there are some hundred thousand. */
export function greatest(values: Iterable<number>): number {
  let most = Number.NEGATIVE_INFINITY;
  for (const value of values) if (value > most) most = value;
  return most;
}

/** The least of any number of values; ∞ of none. */
export function least(values: Iterable<number>): number {
  let lowest = Number.POSITIVE_INFINITY;
  for (const value of values) if (value < lowest) lowest = value;
  return lowest;
}
