import type { Coder, Value } from './coder.ts';
import { GrowingHash, type KeyPart } from './hash-code.ts';
import { type Aggregate, type ColumnFacts, type Expression, NUMBER, type PlanOf, type Schema } from './plan.ts';
import { RowBuffer } from './row-buffer.ts';
import { typeOf } from './typing.ts';

const WHOLE: ColumnFacts = { ...NUMBER, isWhole: true };

/** A number that an aggregate keeps for a group beside its value. */
const countName = (name: string): string => `count of ${name}`;
const placeName = (key: string): string => `place of ${key}`;

interface Kept {
  readonly name: string;
  readonly aggregate: Aggregate;
  readonly of: Pick<ColumnFacts, 'type' | 'nullable'> | undefined;
  /** How many values there were has to be counted: of none, there is no sum. */
  readonly isCounted: boolean;
}

/** The groups of a `groupBy`: a row each, with what its aggregates have come to. Without keys the only one is kept in variables of the loop. */
export class AggregateCode {
  readonly buffer: RowBuffer;
  readonly #plan: PlanOf<'groupBy'>;
  readonly #hash: GrowingHash;
  readonly #kept: readonly Kept[];
  readonly #distinct = new Map<string, { readonly buffer: RowBuffer; readonly hash: GrowingHash }>();

  constructor(name: string, plan: PlanOf<'groupBy'>) {
    this.#plan = plan;
    this.#kept = [...plan.aggregates].map(([column, aggregate]) => {
      const of = aggregate.of === undefined ? undefined : typeOf(aggregate.of, plan.input.schema);
      const isCounted = aggregate.kind === 'avg' || of?.nullable === true || plan.keys.length === 0;
      return { name: column, aggregate, of, isCounted };
    });
    const columns = new Map<string, ColumnFacts>();
    for (const key of plan.keys) {
      const facts = plan.schema.get(key) ?? NUMBER;
      columns.set(key, facts);
      if (isPlainText(facts)) columns.set(placeName(key), WHOLE);
    }
    for (const { name: column, aggregate, of, isCounted } of this.#kept) {
      const isValue = aggregate.kind === 'min' || aggregate.kind === 'max';
      columns.set(column, isValue && of !== undefined ? { ...NUMBER, type: of.type } : NUMBER);
      if (isCounted) columns.set(countName(column), NUMBER);
    }
    this.buffer = new RowBuffer(name, columns);
    this.#hash = new GrowingHash(this.buffer);
    this.#kept.forEach(({ name: column, aggregate }, at) => {
      if (aggregate.kind !== 'countDistinct') return;
      const buffer = new RowBuffer(
        `${name}d${at}`,
        new Map([
          ['group', WHOLE],
          ['value', NUMBER],
        ]),
      );
      this.#distinct.set(column, { buffer, hash: new GrowingHash(buffer) });
    });
  }

  get #isAll(): boolean {
    return this.#plan.keys.length === 0;
  }

  open(coder: Coder): void {
    for (const { hash } of this.#distinct.values()) hash.open(coder);
    if (!this.#isAll) {
      this.#hash.open(coder);
      if (this.#asksFresh) coder.before(() => coder.line(`let ${this.#fresh} = -1;`));
      return;
    }
    this.buffer.open(coder);
    coder.before(() => {
      for (const { name, of, aggregate, isCounted } of this.#kept) {
        const isText = of?.type === 'string' && aggregate.kind !== 'count' && aggregate.kind !== 'countDistinct';
        coder.line(`let ${this.#variable(name)} = ${isText ? "''" : '0'};`);
        if (isCounted) coder.line(`let ${this.#variable(countName(name))} = 0;`);
      }
    });
  }

  #variable(column: string): string {
    return `${this.buffer.memory(column)}only`;
  }

  /** Where an aggregate of group `group` is kept. */
  #slot(column: string, group: string): string {
    return this.#isAll ? this.#variable(column) : `${this.buffer.memory(column)}[${group}]`;
  }

  /** Adds the row at hand. `keyOf` writes a key as a number. */
  add(
    coder: Coder,
    keys: readonly Value[],
    compute: (expression: Expression) => Value,
    keyOf: (value: Value) => string,
  ): void {
    const values = this.#kept.map(({ aggregate: { of } }) => (of === undefined ? undefined : compute(of)));
    const group = this.#isAll ? '0' : this.#group(coder, keys, keyOf);
    this.#kept.forEach((kept, at) => {
      const value = values[at];
      const isNull = value?.isNull;
      if (isNull === undefined) this.#step(coder, kept, group, value, keyOf);
      else coder.block(`if (!${isNull}) {`, () => this.#step(coder, kept, group, value, keyOf));
    });
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
    if (this.#asksFresh) coder.line(`${this.#fresh} = -1;`);
    return this.#hash.row(coder, parts, row => {
      for (const { key, value } of texts) coder.line(`${this.buffer.memory(key)}[${row}] = ${textOf(value)};`);
      for (const { name, of, aggregate } of this.#kept) {
        const isText = of?.type === 'string' && (aggregate.kind === 'min' || aggregate.kind === 'max');
        if (isText) coder.line(`${this.buffer.memory(name)}[${row}] = '';`);
      }
      if (this.#asksFresh) coder.line(`${this.#fresh} = ${row};`);
    });
  }

  /** A least or greatest value that is not counted has to know which row is its group's first. */
  get #asksFresh(): boolean {
    return this.#kept.some(({ aggregate: { kind }, isCounted }) => (kind === 'min' || kind === 'max') && !isCounted);
  }

  /** The group that was opened by the row at hand, or -1. */
  get #fresh(): string {
    return `${this.buffer.name}fresh`;
  }

  #step(
    coder: Coder,
    { name, aggregate, isCounted }: Kept,
    group: string,
    value: Value | undefined,
    keyOf: (value: Value) => string,
  ): void {
    const slot = this.#slot(name, group);
    const counted = this.#slot(isCounted ? countName(name) : name, group);
    switch (aggregate.kind) {
      case 'count':
        coder.line(`${slot}++;`);
        return;
      case 'sum':
      case 'avg':
        coder.line(`${slot} += ${value?.code};`);
        if (isCounted) coder.line(`${counted}++;`);
        return;
      case 'min':
      case 'max': {
        if (value === undefined) return;
        const own =
          value.type === 'string' ? textOf(value) : value.type === 'boolean' ? `(${value.code} ? 1 : 0)` : value.code;
        const isFirst = isCounted ? `${counted} === 0` : `${this.#fresh} === ${group}`;
        const isMin = aggregate.kind === 'min';
        // NaN is above every number, wherever it stands among the rows.
        const isOfNaN = value.type === 'number' ? ` || Number.isNaN(${isMin ? slot : own})` : '';
        coder.line(`if (${isFirst} || ${own} ${isMin ? '<' : '>'} ${slot}${isOfNaN}) ${slot} = ${own};`);
        if (isCounted) coder.line(`${counted}++;`);
        return;
      }
      case 'countDistinct': {
        const distinct = this.#distinct.get(name);
        if (distinct === undefined || value === undefined) throw new Error(`nothing to count for '${name}'`);
        const { buffer, hash } = distinct;
        const parts = [
          { memory: buffer.memory('group'), isWhole: true, code: group },
          { memory: buffer.memory('value'), isWhole: value.type !== 'number', code: keyOf(value) },
        ];
        hash.row(coder, parts, () => coder.line(`${slot}++;`));
        return;
      }
    }
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
    const kept = this.#kept.find(each => each.name === name);
    if (kept === undefined || schema.get(name) === undefined) return stored(name);
    const { aggregate, isCounted } = kept;
    const value = stored(name);
    if (aggregate.kind === 'count' || aggregate.kind === 'countDistinct' || !isCounted) return value;
    const { code: counted } = stored(countName(name));
    return coder.once(`${this.buffer.name} ${name}`, () => {
      const isNull = schema.get(name)?.nullable === true ? coder.define('n', `${counted} === 0`) : undefined;
      if (aggregate.kind !== 'avg') return { ...value, isNull };
      const mean = `${value.code} / ${counted}`;
      return { ...value, isNull, code: coder.define('v', isNull === undefined ? mean : `${isNull} ? 0 : ${mean}`) };
    });
  }
}

const isPlainText = ({ type, dictionary }: ColumnFacts): boolean => type === 'string' && dictionary === undefined;

const textOf = ({ code, texts }: Value): string => (texts === undefined ? code : `${texts}[${code}]`);
