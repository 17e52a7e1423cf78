/**
 * Whether an array can travel as its items alone. One of a class derived from Array cannot, nor the answer of String.match (its index,
 * input and groups are properties beside the items); some are searched for other such properties (look.ts). V8 reads a property
 * faster than it tells a prototype.
 */
export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.constructor === Array && (value as { index?: unknown }).index === undefined;
}

/**
 * Writes the lists' lengths and returns their sum; -1 when some value is no list. Loops over lists are functions of their
 * own: in the codec's recursive methods they would have V8 compile the whole recursion for their sake.
 */
export function measureLists(
  values: readonly unknown[],
  from: number,
  to: number,
  out: Uint32Array,
  at: number,
): number {
  let total = 0;
  for (let i = from; i < to; i++) {
    const list = values[i];
    if (!isList(list)) return -1;
    out[at + i] = list.length;
    total += list.length;
  }
  return total;
}

/** The first list that has an item; an empty one where none has. */
export function firstFilled(lists: readonly unknown[], from: number, to: number): readonly unknown[] {
  for (let i = from; i < to; i++) {
    const list = lists[i] as readonly unknown[];
    if (list.length > 0) return list;
  }
  return [];
}

/** Cuts the items of lists that stand one behind the other. */
export function cutLists(items: readonly unknown[], lengths: Uint32Array, from: number, out: unknown[]): void {
  let at = 0;
  for (let i = 0; i < out.length; i++) {
    const length = lengths[from + i] as number;
    out[i] = items.slice(at, at + length);
    at += length;
  }
}

/** Whether no item is missing. A missing item reads as undefined, so only those are looked at twice. */
export function isDense(list: readonly unknown[]): boolean {
  for (let i = 0; i < list.length; i++) if (list[i] === undefined && !(i in list)) return false;
  return true;
}

/** All items of the lists in one array, or undefined when some list has holes. */
export function flatten(lists: readonly unknown[], from: number, to: number): unknown[] | undefined {
  const flat: unknown[] = [];
  for (let i = from; i < to; i++) {
    const list = lists[i] as readonly unknown[];
    for (let k = 0; k < list.length; k++) {
      const item = list[k];
      if (item === undefined && !(k in list)) return undefined;
      flat.push(item);
    }
  }
  return flat;
}

/** The first `used` items as arrays of `length`, the last maybe shorter. */
export function cutRows(items: readonly unknown[], used: number, length: number): unknown[][] {
  const rows: unknown[][] = [];
  for (let at = 0; at < used; at += length) rows.push(items.slice(at, Math.min(used, at + length)));
  return rows;
}
