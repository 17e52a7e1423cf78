import { Accumulators, type Place, textOf, WHOLE } from './accumulators.ts';
import type { Coder, Value } from './coder.ts';
import { GrowingHash, type KeyPart } from './hash-code.ts';
import { type ColumnFacts, type Expression, NUMBER, type PlanOf, type Schema } from './plan.ts';
import { RowBuffer } from './row-buffer.ts';

const placeName = (key: string): string => `place of ${key}`;

/** Combinations of keys up to which each has a place in a list: 16 KB, half of a usual first-level cache. */
const MOST_PLACES = 4096;

/**
 * The groups of a `groupBy`, a row each, with what its aggregates have come to. A group is found by hash, or, where keys are of short lists, by its place among all
 * combinations. Without keys the only one is kept in variables of the loop.
 */
export class GroupCode {
  readonly buffer: RowBuffer;
  readonly #plan: PlanOf<'groupBy'>;
  readonly #hash: GrowingHash;
  readonly #accumulators: Accumulators;
  /** How many values each key has, where groups are found by place. */
  readonly #widths: readonly number[] | undefined;

  constructor(name: string, plan: PlanOf<'groupBy'>) {
    this.#plan = plan;
    this.#accumulators = new Accumulators(name, plan, plan.keys.length === 0);
    const columns = new Map<string, ColumnFacts>();
    for (const key of plan.keys) {
      const facts = plan.schema.get(key) ?? NUMBER;
      columns.set(key, facts);
      if (isPlainText(facts)) columns.set(placeName(key), WHOLE);
    }
    this.buffer = new RowBuffer(name, new Map([...columns, ...this.#accumulators.columns]));
    this.#hash = new GrowingHash(this.buffer);
    this.#widths = widthsOf(plan);
  }

  get #isAll(): boolean {
    return this.#plan.keys.length === 0;
  }

  get #rowOf(): string {
    return `${this.buffer.name}at`;
  }

  open(coder: Coder): void {
    this.#accumulators.open(coder);
    if (this.#isAll) {
      this.buffer.open(coder);
      coder.before(() => {
        const { texts } = this.#accumulators;
        for (const slot of this.#accumulators.columns.keys())
          coder.line(`let ${this.#variable(slot)} = ${texts.includes(slot) ? "''" : '0'};`);
      });
    } else if (this.#widths === undefined) {
      this.#hash.open(coder);
    } else {
      const places = this.#widths.reduce((all, width) => all * width, 1);
      this.buffer.open(coder);
      coder.before(() => coder.line(`const ${this.#rowOf} = new Int32Array(${places});`));
    }
  }

  #variable(slot: string): string {
    return `${this.buffer.memory(slot)}only`;
  }

  /** Adds the row at hand. `keyOf` writes a key as a number. */
  add(
    coder: Coder,
    keys: readonly Value[],
    compute: (expression: Expression) => Value,
    keyOf: (value: Value) => string,
  ): void {
    const values = this.#accumulators.values(compute);
    const group = this.#isAll ? '0' : this.#group(coder, keys, keyOf);
    const place: Place = slot => (this.#isAll ? this.#variable(slot) : `${this.buffer.memory(slot)}[${group}]`);
    this.#accumulators.add(coder, group, place, values, keyOf);
  }

  #group(coder: Coder, keys: readonly Value[], keyOf: (value: Value) => string): string {
    const texts: { readonly key: string; readonly value: Value }[] = [];
    const parts = this.#plan.keys.flatMap((key, at): KeyPart[] => {
      const value = keys[at];
      const facts = this.#plan.schema.get(key);
      if (value === undefined || facts === undefined) throw new Error(`no key '${key}'`);
      const place = keyOf(value);
      const code = value.isNull === undefined ? place : coder.define('k', `${value.isNull} ? 0 : ${place}`);
      const isText = isPlainText(facts);
      if (isText) texts.push({ key, value });
      const isWhole = facts.isWhole || facts.type !== 'number';
      const own = { memory: this.buffer.memory(isText ? placeName(key) : key), isWhole, code };
      if (!facts.nullable) return [own];
      const known = value.isNull === undefined ? '0' : coder.define('k', `${value.isNull} ? 1 : 0`);
      return [own, { memory: `${this.buffer.memory(key)}n`, isWhole: true, code: known }];
    });
    const opened = (row: string): void => {
      for (const { key, value } of texts) coder.line(`${this.buffer.memory(key)}[${row}] = ${textOf(value)};`);
      for (const slot of this.#accumulators.texts) coder.line(`${this.buffer.memory(slot)}[${row}] = '';`);
    };
    return this.#widths === undefined
      ? this.#hash.row(coder, parts, opened)
      : this.#placed(coder, parts, this.#widths, opened);
  }

  /** The row of the combination at hand. */
  #placed(coder: Coder, parts: readonly KeyPart[], widths: readonly number[], opened: (row: string) => void): string {
    const { name } = this.buffer;
    const sum = parts.reduce((place, { code }, at) => (at === 0 ? code : `(${place}) * ${widths[at]} + ${code}`), '0');
    const at = coder.define('k', sum);
    const entry = coder.name('e');
    coder.line(`let ${entry} = ${this.#rowOf}[${at}];`);
    coder.block(`if (${entry} === 0) {`, () => {
      this.buffer.reserve(coder);
      for (const { memory, code } of parts) coder.line(`${memory}[${name}rows] = ${code};`);
      opened(`${name}rows`);
      coder.line(`${name}rows++;`);
      coder.line(`${entry} = ${name}rows;`);
      coder.line(`${this.#rowOf}[${at}] = ${entry};`);
    });
    return coder.define('row', `${entry} - 1`);
  }

  close(coder: Coder): void {
    if (this.#isAll) {
      coder.behind(() => {
        for (const [column] of this.buffer.columns)
          coder.line(`${this.buffer.memory(column)}[0] = ${this.#variable(column)};`);
        coder.line(`${this.buffer.name}rows = 1;`);
      });
    }
    this.buffer.close(coder);
  }

  /** A column of the group at hand: `stored` reads what was kept. */
  result(coder: Coder, name: string, stored: (column: string) => Value, schema: Schema): Value {
    return coder.once(
      `${this.buffer.name} ${name}`,
      () => this.#accumulators.result(coder, name, stored, schema) ?? stored(name),
    );
  }
}

const isPlainText = ({ type, dictionary }: ColumnFacts): boolean => type === 'string' && dictionary === undefined;

/** The number of values of each part of the key, a part that says whether there is none behind its own; undefined where they are not known or too many. */
function widthsOf({ keys, schema }: PlanOf<'groupBy'>): readonly number[] | undefined {
  const widths: number[] = [];
  for (const key of keys) {
    const facts = schema.get(key);
    const width = facts?.dictionary?.length ?? (facts?.type === 'boolean' ? 2 : undefined);
    if (facts === undefined || width === undefined) return undefined;
    widths.push(Math.max(1, width));
    if (facts.nullable) widths.push(2);
  }
  return widths.reduce((all, width) => all * width, 1) <= MOST_PLACES ? widths : undefined;
}
