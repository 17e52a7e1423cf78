/** The value of a key; made, and kept, where there is none yet. */
export function entryOf<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

/** Items by key: keys in the order in which they were met first, items of one in the order given. */
export function groupedBy<K, T>(items: Iterable<T>, keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) entryOf<K, T[]>(groups, keyOf(item), () => []).push(item);
  return groups;
}
