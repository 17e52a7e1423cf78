import { Accumulators, type Place, WHOLE } from './accumulators.ts';
import type { Coder, Value } from './coder.ts';
import { type ColumnFacts, type Expression, NUMBER, type PlanOf, type Schema } from './plan.ts';
import { RowBuffer } from './row-buffer.ts';

const SEEN = 'was met';
const ORDER = 'order of groups';
const FLAG: ColumnFacts = { ...NUMBER, type: 'boolean' };

/**
 * Aggregates beside the rows that a join keeps, each row a group. Groups leave by first appearance: of rows that are probed for, in the order in which they were met; of the
 * side that a join reads first, in its own.
 */
export class GroupJoinCode {
  readonly buffer: RowBuffer;
  readonly #accumulators: Accumulators;
  readonly #isInOrderMet: boolean;
  /** Groups without a match are there too. */
  readonly #hasAll: boolean;

  constructor(name: string, plan: PlanOf<'groupBy'>, join: PlanOf<'join'>) {
    this.#isInOrderMet = plan.groupJoin === 'right';
    this.#hasAll = join.how === 'left';
    this.#accumulators = new Accumulators(name, plan, this.#hasAll);
    const own: [string, ColumnFacts][] = [
      ...(this.#hasAll ? [] : [[SEEN, FLAG] as [string, ColumnFacts]]),
      ...(this.#isInOrderMet ? [[ORDER, WHOLE] as [string, ColumnFacts]] : []),
    ];
    this.buffer = new RowBuffer(name, new Map([...this.#accumulators.columns, ...own]));
  }

  /** `kept` is the name of how many rows the join has kept. */
  open(coder: Coder, kept: string): void {
    this.#accumulators.open(coder);
    this.buffer.openFor(coder, kept, this.#isInOrderMet ? '0' : kept);
    coder.before(() => {
      for (const slot of this.#accumulators.texts) coder.line(`${this.buffer.memory(slot)}.fill('');`);
    });
  }

  /** Adds the row at hand to the group of the kept row `row`. */
  add(coder: Coder, row: string, compute: (expression: Expression) => Value, keyOf: (value: Value) => string): void {
    const values = this.#accumulators.values(compute);
    if (!this.#hasAll) {
      coder.block(`if (${this.buffer.memory(SEEN)}[${row}] === 0) {`, () => {
        coder.line(`${this.buffer.memory(SEEN)}[${row}] = 1;`);
        if (!this.#isInOrderMet) return;
        coder.line(`${this.buffer.memory(ORDER)}[${this.buffer.name}rows] = ${row};`);
        coder.line(`${this.buffer.name}rows++;`);
      });
    }
    const place: Place = slot => `${this.buffer.memory(slot)}[${row}]`;
    this.#accumulators.add(coder, row, place, values, keyOf);
  }

  close(coder: Coder): void {
    this.buffer.close(coder);
  }

  /** Where the groups' rows are listed; undefined where they come in their own order. */
  order(coder: Coder): string | undefined {
    return this.#isInOrderMet ? this.buffer.array(coder, ORDER) : undefined;
  }

  /** Leaves a row that is no group: `drop` is the statement. */
  require(coder: Coder, row: string, drop: string): void {
    if (this.#hasAll || this.#isInOrderMet) return;
    coder.line(`if (${this.buffer.array(coder, SEEN)}[${row}] === 0) ${drop};`);
  }

  /** An aggregate of the group at hand; undefined: `name` is none. */
  result(coder: Coder, name: string, row: string, schema: Schema): Value | undefined {
    return this.#accumulators.result(coder, name, slot => this.buffer.get(coder, slot, row), schema);
  }
}
