import { inOrder, type Operator } from './defined.ts';
import { heapBytes, KeptBytes } from './kept-bytes.ts';
import { KeyTable } from './key-table.ts';
import type { OperatorKind } from './kind.ts';

/** Nothing leaves it before the end of the pass: until then any group may grow. */
export const groupBy: OperatorKind = {
  ...inOrder,
  kind: 'groupBy',
  elements: 'fewer',
  callsFunction: true,
  blocking: true,
};

/** What all elements with the same key came to. */
export interface Group<K, V> {
  readonly key: K;
  readonly value: V;
}

export interface Grouping<T, K, V> {
  readonly owner: string;
  /** Bytes it may keep; unless given, as many as the run's memory. */
  readonly limit: number | undefined;
  readonly key: (element: T) => K;
  readonly first: () => V;
  readonly step: (value: V, element: T) => V;
  /** The value grows by every element: each is counted as it comes. */
  readonly collects: boolean;
}

interface SavedGroups<K, V> {
  readonly keys: readonly K[];
  readonly values: readonly V[];
  readonly counts: readonly number[];
}

/** Groups leave in the order in which their first elements came. */
export const grouped = <T, K, V>(grouping: Grouping<T, K, V>): Operator<T, Group<K, V>> => ({
  kind: 'groupBy',
  open: ({ memory }) => new Groups(grouping, memory),
});

class Groups<T, K, V> {
  readonly #grouping: Grouping<T, K, V>;
  readonly #table: KeyTable;
  readonly #kept: KeptBytes;
  readonly #keys: K[] = [];
  readonly #values: V[] = [];
  /** Elements of each group, and about how large its value was when last looked at. */
  readonly #counts: number[] = [];
  readonly #bytes: number[] = [];

  constructor(grouping: Grouping<T, K, V>, memory: number) {
    this.#grouping = grouping;
    this.#table = new KeyTable(grouping.owner);
    this.#kept = new KeptBytes(grouping.owner, grouping.limit ?? memory);
  }

  readonly #what = (): string => {
    // The element that opens a group is kept with it, and counted after.
    const elements = this.#counts.reduce((sum, count) => sum + Math.max(1, count), 0);
    const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
    return `${plural(this.#keys.length, 'group')} of ${plural(elements, 'element')}`;
  };

  readonly element = (element: T): readonly never[] => {
    const { key: keyOf, first, step, collects } = this.#grouping;
    const key = keyOf(element);
    const group = this.#table.place(key);
    if (group === this.#keys.length) this.#open(key, first());
    const value = step(this.#values[group] as V, element);
    if (value instanceof Promise) throw new TypeError('it returned a promise: do what is async in a map before it');
    this.#values[group] = value;
    const count = (this.#counts[group] ?? 0) + 1;
    this.#counts[group] = count;
    if (collects) this.#kept.add(heapBytes(element), this.#what);
    // How large a value is takes long to see where it is large: looked at whenever its elements have doubled.
    else if ((count & (count - 1)) === 0) this.#measure(group, value);
    return NOTHING;
  };

  #open(key: K, value: V): void {
    this.#keys.push(key);
    this.#values.push(value);
    this.#counts.push(0);
    this.#bytes.push(0);
    this.#kept.add(heapBytes(key) + GROUP_BYTES, this.#what);
  }

  #measure(group: number, value: V): void {
    if (typeof value === 'number') return;
    const bytes = heapBytes(value);
    this.#kept.add(bytes - (this.#bytes[group] ?? 0), this.#what);
    this.#bytes[group] = bytes;
  }

  readonly end = function* (this: Groups<T, K, V>): Iterable<Group<K, V>> {
    for (let group = 0; group < this.#keys.length; group++) {
      yield { key: this.#keys[group] as K, value: this.#values[group] as V };
    }
  }.bind(this);

  readonly save = (): SavedGroups<K, V> => ({ keys: this.#keys, values: this.#values, counts: this.#counts });

  readonly load = ({ keys, values, counts }: SavedGroups<K, V>): void => {
    keys.forEach((key, group) => {
      this.#table.place(key);
      this.#open(key, values[group] as V);
      this.#counts[group] = counts[group] ?? 0;
      this.#measure(group, values[group] as V);
    });
  };
}

const NOTHING: readonly never[] = [];

/** A group's entry in the table of keys and its places in four lists, beside its key and value. */
const GROUP_BYTES = 72;
