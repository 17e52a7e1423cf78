import { inOrder, type Operator } from './defined.ts';
import { heapBytes, KeptBytes } from './kept-bytes.ts';
import { isUnknown, KeyTable } from './key-table.ts';
import type { OperatorKind } from './kind.ts';

/** Its input gives all elements of the right side first, then those of the left. */
export const join: OperatorKind = { ...inOrder, kind: 'join', origin: true, callsFunction: true, joins: 'all' };

/** An element of the right side of a join, on its way to the table. */
export class RightElement {
  readonly element: unknown;

  constructor(element: unknown) {
    this.element = element;
  }
}

/** Pairs that match; those and left elements without a match; left elements with a match; left elements without one. */
export type JoinKind = 'inner' | 'left' | 'semi' | 'anti';

export interface Joining {
  readonly owner: string;
  /** Bytes it may keep of the right side; unless given, as many as the run's memory. */
  readonly limit: number | undefined;
  readonly how: JoinKind;
  readonly left: (element: never) => unknown;
  readonly right: (element: never) => unknown;
}

/** The right side is kept in a table by its keys; left elements pass in their order, each with its matches in the order of the right. */
export const joined = (joining: Joining): Operator<unknown, unknown> => ({
  kind: 'join',
  open: ({ memory }) => new HashJoin(joining, memory),
});

interface SavedTable {
  readonly keys: readonly unknown[];
  readonly matches: readonly (readonly unknown[])[];
}

class HashJoin {
  readonly #joining: Joining;
  readonly #table: KeyTable;
  readonly #kept: KeptBytes;
  readonly #keys: unknown[] = [];
  /** By number of key: the elements of the right side; none are kept where only their keys matter. */
  readonly #matches: unknown[][] = [];
  #elements = 0;

  constructor(joining: Joining, memory: number) {
    this.#joining = joining;
    this.#table = new KeyTable(joining.owner);
    this.#kept = new KeptBytes(joining.owner, joining.limit ?? memory);
  }

  readonly #what = (): string => `${this.#elements} elements of its right side`;

  readonly element = (element: unknown): Iterable<unknown> =>
    element instanceof RightElement ? this.#build(element.element) : this.#probe(element);

  #build(element: unknown): Iterable<unknown> {
    const key = this.#joining.right(element as never);
    if (!isUnknown(key)) this.#add(key, element);
    return NOTHING;
  }

  #add(key: unknown, element: unknown): void {
    this.#elements++;
    const number = this.#table.place(key);
    if (number === this.#keys.length) {
      this.#keys.push(key);
      this.#matches.push([]);
      this.#kept.add(heapBytes(key) + KEY_BYTES, this.#what);
    }
    if (!this.#keepsElements) return;
    this.#matches[number]?.push(element);
    this.#kept.add(heapBytes(element), this.#what);
  }

  get #keepsElements(): boolean {
    return this.#joining.how === 'inner' || this.#joining.how === 'left';
  }

  #probe(element: unknown): Iterable<unknown> {
    const key = this.#joining.left(element as never);
    const number = isUnknown(key) ? undefined : this.#table.find(key);
    switch (this.#joining.how) {
      case 'semi':
        return number === undefined ? NOTHING : [element];
      case 'anti':
        return number === undefined ? [element] : NOTHING;
      default: {
        if (number === undefined) return this.#joining.how === 'left' ? [[element, undefined]] : NOTHING;
        const matches = this.#matches[number] ?? NOTHING;
        return matches.length === 1 ? [[element, matches[0]]] : pairs(element, matches);
      }
    }
  }

  readonly save = (): SavedTable => ({ keys: this.#keys, matches: this.#matches });

  readonly load = ({ keys, matches }: SavedTable): void => {
    keys.forEach((key, number) => {
      // Without elements a key stands for itself.
      const elements = this.#keepsElements ? (matches[number] ?? NOTHING) : [undefined];
      for (const element of elements) this.#add(key, element);
    });
  };
}

/** A key that a million elements share makes a million pairs: one at a time. */
function* pairs(element: unknown, matches: readonly unknown[]): Iterable<unknown> {
  for (const match of matches) yield [element, match];
}

const NOTHING: readonly never[] = [];

/** A key's entry in the table, its place in two lists, and a list of its own. */
const KEY_BYTES = 88;
