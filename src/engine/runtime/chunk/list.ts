/**
 * Whether an array can travel as its items alone. The answer of String.match cannot (its index, input and groups are properties
 * beside the items); other arrays are not searched for such properties, because that would cost more than sending them.
 */
export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && (value as { index?: unknown }).index === undefined;
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
