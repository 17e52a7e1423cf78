import type { Coder, Value } from './coder.ts';
import { keyOfExpression } from './expression-key.ts';
import { GrowingHash } from './hash-code.ts';
import { type Aggregate, type ColumnFacts, type Expression, NUMBER, type PlanOf, type Schema } from './plan.ts';
import { RowBuffer } from './row-buffer.ts';
import { typeOf } from './typing.ts';

export const WHOLE: ColumnFacts = { ...NUMBER, isWhole: true };

type Step = 'sum' | 'min' | 'max' | 'countDistinct' | 'count';

/** A number or a text that is kept for a group. Aggregates of the same expression share it. */
interface Slot {
  readonly name: string;
  readonly step: Step;
  readonly of: Expression | undefined;
  readonly facts: ColumnFacts;
}

/** Where an aggregate finds what was kept for it. */
interface Parts {
  readonly aggregate: Aggregate;
  readonly value: Slot;
  /** How many values there were, where it has to know: of none there is no sum. */
  readonly counted: Slot | undefined;
}

/** Where a group's slots are: memory of a row, or variables of the loop. */
export type Place = (slot: string) => string;

/** What a `groupBy` keeps for a group, and what its aggregates make of it. */
export class Accumulators {
  readonly #slots = new Map<string, Slot>();
  readonly #parts = new Map<string, Parts>();
  readonly #distinct = new Map<Slot, { readonly buffer: RowBuffer; readonly hash: GrowingHash }>();
  readonly #schema: Schema;

  /** `isOpen`: a group may be without rows. */
  constructor(name: string, { aggregates, input }: PlanOf<'groupBy'>, isOpen: boolean) {
    this.#schema = input.schema;
    for (const [column, aggregate] of aggregates) {
      const { kind, of } = aggregate;
      const nullable = of !== undefined && typeOf(of, input.schema).nullable;
      const count = (): Slot => this.#slot('count', nullable ? of : undefined);
      const asksCount = kind === 'min' || kind === 'max' || kind === 'avg' || ((nullable || isOpen) && kind === 'sum');
      this.#parts.set(column, {
        aggregate,
        value: kind === 'count' ? count() : this.#slot(kind === 'avg' ? 'sum' : kind, of),
        counted: asksCount ? count() : undefined,
      });
    }
    for (const slot of this.#slots.values()) {
      if (slot.step !== 'countDistinct') continue;
      const columns = new Map([
        ['group', WHOLE],
        ['value', NUMBER],
      ]);
      const buffer = new RowBuffer(`${name}d${this.#distinct.size}`, columns);
      this.#distinct.set(slot, { buffer, hash: new GrowingHash(buffer) });
    }
  }

  #slot(step: Step, of: Expression | undefined): Slot {
    const name = `${step} of ${of === undefined ? 'rows' : keyOfExpression(of)}`;
    const known = this.#slots.get(name);
    if (known !== undefined) return known;
    const isValue = (step === 'min' || step === 'max') && of !== undefined;
    const facts = isValue ? { ...NUMBER, type: typeOf(of, this.#schema).type } : NUMBER;
    const slot = { name, step, of, facts };
    this.#slots.set(name, slot);
    return slot;
  }

  /** As columns of the rows that are kept. */
  get columns(): ReadonlyMap<string, ColumnFacts> {
    return new Map([...this.#slots.values()].map(({ name, facts }) => [name, facts]));
  }

  /** The names of slots that hold a text. */
  get texts(): readonly string[] {
    return [...this.#slots.values()].filter(({ facts }) => facts.type === 'string').map(({ name }) => name);
  }

  open(coder: Coder): void {
    for (const { hash } of this.#distinct.values()) hash.open(coder);
  }

  /** The values of the row at hand that its steps ask for, computed before the group is looked for. */
  values(compute: (expression: Expression) => Value): ReadonlyMap<string, Value> {
    const expressions = [...this.#slots.values()].flatMap(({ of }) => of ?? []);
    return new Map(expressions.map(of => [keyOfExpression(of), compute(of)]));
  }

  /** Adds the row at hand to group `group`. What has a value is counted last, so that its first one is known. */
  add(
    coder: Coder,
    group: string,
    place: Place,
    values: ReadonlyMap<string, Value>,
    keyOf: (value: Value) => string,
  ): void {
    const slots = [...this.#slots.values()];
    const steps = (own: readonly Slot[], value: Value | undefined): void => {
      for (const slot of [...own.filter(each => each.step !== 'count'), ...own.filter(each => each.step === 'count')])
        this.#step(coder, slot, { group, place, value, keyOf });
    };
    for (const [key, value] of values) {
      const own = slots.filter(({ of }) => of !== undefined && keyOfExpression(of) === key);
      if (value.isNull === undefined) steps(own, value);
      else coder.block(`if (!${value.isNull}) {`, () => steps(own, value));
    }
    steps(
      slots.filter(({ of }) => of === undefined),
      undefined,
    );
  }

  #counted(of: Slot): Slot {
    const found = [...this.#parts.values()].find(
      ({ value, counted }) => value === of && counted !== undefined,
    )?.counted;
    if (found === undefined) throw new Error(`nothing counts '${of.name}'`);
    return found;
  }

  #step(
    coder: Coder,
    slot: Slot,
    row: {
      readonly group: string;
      readonly place: Place;
      readonly value: Value | undefined;
      readonly keyOf: (value: Value) => string;
    },
  ): void {
    const { group, place, value, keyOf } = row;
    const at = place(slot.name);
    if (slot.step === 'count') {
      coder.line(`${at}++;`);
      return;
    }
    if (value === undefined) throw new Error(`nothing to add to '${slot.name}'`);
    switch (slot.step) {
      case 'sum':
        coder.line(`${at} += ${value.code};`);
        return;
      case 'min':
      case 'max': {
        const own =
          value.type === 'string' ? textOf(value) : value.type === 'boolean' ? `(${value.code} ? 1 : 0)` : value.code;
        const isMin = slot.step === 'min';
        const isFirst = `${place(this.#counted(slot).name)} === 0`;
        // NaN is above every number, wherever it stands among the rows.
        const isOfNaN = value.type === 'number' ? ` || Number.isNaN(${isMin ? at : own})` : '';
        coder.line(`if (${isFirst} || ${own} ${isMin ? '<' : '>'} ${at}${isOfNaN}) ${at} = ${own};`);
        return;
      }
      case 'countDistinct': {
        const distinct = this.#distinct.get(slot);
        if (distinct === undefined) throw new Error(`nothing to count for '${slot.name}'`);
        const { buffer, hash } = distinct;
        const parts = [
          { memory: buffer.memory('group'), isWhole: true, code: group },
          { memory: buffer.memory('value'), isWhole: value.type !== 'number', code: keyOf(value) },
        ];
        hash.row(coder, parts, () => coder.line(`${at}++;`));
        return;
      }
    }
  }

  /** An aggregate of the group at hand, where `name` is one: `stored` reads what was kept. */
  result(coder: Coder, name: string, stored: (slot: string) => Value, schema: Schema): Value | undefined {
    const parts = this.#parts.get(name);
    const facts = schema.get(name);
    if (parts === undefined || facts === undefined) return undefined;
    const { aggregate, value: slot, counted: count } = parts;
    const value = stored(slot.name);
    if (count === undefined || (!facts.nullable && aggregate.kind !== 'avg')) return value;
    const { code: counted } = stored(count.name);
    const isNull = facts.nullable ? coder.define('n', `${counted} === 0`) : undefined;
    if (aggregate.kind !== 'avg') return { ...value, isNull };
    const mean = `${value.code} / ${counted}`;
    return { ...value, isNull, code: coder.define('v', isNull === undefined ? mean : `${isNull} ? 0 : ${mean}`) };
  }
}

export const textOf = ({ code, texts }: Value): string => (texts === undefined ? code : `${texts}[${code}]`);
