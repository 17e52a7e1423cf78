import { areDistinct } from './distinct.ts';

/** Up to so many items, on average, are compared with each other at once; up to so many where nothing else tells them apart. */
const FEW_COMPARED = 12;
const MOST_COMPARED = 32;

export interface Column {
  readonly values: readonly unknown[];
  readonly from: number;
  readonly to: number;
}

/** Columns of objects of one kind: only within such a group can two values be one and the same object. */
interface Group {
  readonly columns: Column[];
  /** Of its first column. */
  readonly level: number;
  /** The lists that the items of its first column come from. */
  readonly lists: Column | undefined;
  /** The fields of the records in its first column. */
  readonly fields: readonly (readonly unknown[])[];
  /** Its columns are not all fields of the same records. */
  isSpread: boolean;
}

/**
 * Columns would make two objects of one that an element refers to twice. The objects in them are told here, as they are written;
 * most elements cannot refer to one twice by the way they are made, which costs next to nothing to see.
 */
export class References {
  readonly #groups = new Map<unknown, Group>();
  #mayRepeat = false;

  clear(): void {
    if (this.#groups.size > 0) this.#groups.clear();
    this.#mayRepeat = false;
  }

  /** The fields of records, one column each: whether one record has the same object in two of them. */
  addFields(fields: readonly (readonly unknown[])[]): void {
    const ofObjects = fields.filter(([first]) => typeof first === 'object' || first === undefined);
    for (let a = 1; a < ofObjects.length && !this.#mayRepeat; a++) {
      for (let b = 0; b < a; b++) if (meet(ofObjects[a] ?? [], ofObjects[b] ?? [])) this.#mayRepeat = true;
    }
  }

  /**
   * `kind`: objects of another are other objects. `level`: columns of one have been compared as fields, and hold one object of each
   * element; 0: they may hold several. `lists`: if these are all items of lists of which each element has one. `fields`: of records.
   */
  add(
    kind: unknown,
    column: Column,
    level: number,
    lists: Column | undefined,
    fields: readonly (readonly unknown[])[],
  ): void {
    const group = this.#groups.get(kind);
    if (group === undefined) {
      this.#groups.set(kind, { columns: [column], level, lists, fields, isSpread: level === 0 });
    } else {
      group.columns.push(column);
      group.isSpread ||= level !== group.level;
    }
  }

  /** Values whose parts are not known here. */
  addOpaque(): void {
    this.#mayRepeat = true;
  }

  /** Whether an element may refer to an object twice. Two elements that refer to the same one are no matter, but may look alike here. */
  get mayRepeat(): boolean {
    if (this.#mayRepeat) return true;
    for (const group of this.#groups.values()) if (group.isSpread && repeats(group)) return true;
    return false;
  }
}

/** Whether both have the same object at the same place. */
function meet(a: readonly unknown[], b: readonly unknown[]): boolean {
  for (let i = 0; i < a.length; i++) {
    const value = a[i];
    if (value === b[i] && typeof value === 'object' && value !== null) return true;
  }
  return false;
}

function repeats({ columns, lists, fields }: Group): boolean {
  const [first] = columns;
  if (first !== undefined && columns.length === 1) {
    const areShort = lists !== undefined && first.to - first.from <= FEW_COMPARED * (lists.to - lists.from);
    if (areShort) return listsRepeat(lists);
    const numbers = fields.find(field => typeof field[0] === 'number');
    const distinct = numbers && areDistinct(first.values, first.from, first.to, numbers);
    if (distinct !== undefined) return !distinct;
    if (lists !== undefined) return listsRepeat(lists);
  }
  const seen = new Set<unknown>();
  let count = 0;
  for (const { values, from, to } of columns) {
    for (let i = from; i < to; i++) seen.add(values[i]);
    count += to - from;
  }
  return seen.size < count;
}

function listsRepeat({ values, from, to }: Column): boolean {
  for (let i = from; i < to; i++) if (listRepeats(values[i] as readonly unknown[])) return true;
  return false;
}

function listRepeats(list: readonly unknown[]): boolean {
  if (list.length > MOST_COMPARED) return new Set(list).size < list.length;
  for (let a = 1; a < list.length; a++) {
    const item = list[a];
    for (let b = 0; b < a; b++) if (list[b] === item) return true;
  }
  return false;
}

/** Whether one of the elements [from, to) in fact refers to an object twice. */
export function someRepeats(elements: readonly unknown[], from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (refersTwice(elements[i])) return true;
  return false;
}

function refersTwice(element: unknown): boolean {
  const seen = new Set<object>();
  const open = [element];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value !== 'object' || value === null) continue;
    if (seen.has(value)) return true;
    seen.add(value);
    if (Array.isArray(value)) for (const item of value) open.push(item);
    else if (value instanceof Map) for (const entry of value) open.push(...entry);
    else if (value instanceof Set) for (const item of value) open.push(item);
    if (Array.isArray(value) || ArrayBuffer.isView(value)) continue;
    for (const key of Reflect.ownKeys(value)) open.push(Object.getOwnPropertyDescriptor(value, key)?.value);
  }
  return false;
}
