import { compileFunction } from 'node:vm';
import { VenturiError } from '../../model/errors.ts';
import { wholeNumber } from '../../model/option.ts';
import { Listing } from '../compile/listing.ts';
import { Lowering } from './lowering.ts';
import type { ColumnFacts, Plan } from './plan.ts';
import type { RowBuffer } from './row-buffer.ts';
import { dateOf, type NumberArray } from './table.ts';
import { TaggingDictionary } from './tagging-dictionary.ts';

export interface QueryOptions {
  /** Bytes that it may keep in hash tables, groups and sorted rows. */
  readonly memory?: number;
}

const DEFAULT_MEMORY = 2 ** 30;

/** What a query gives: a value is a number, a text, a boolean, a date as a text, or null. */
export type Row = Readonly<Record<string, number | string | boolean | null>>;

type Stored = Readonly<Record<string, NumberArray | readonly string[]>> & { readonly rows: number };
type Pipelines = readonly ((state: Record<string, unknown>) => void)[];

let compiled = 0;

/** A relational plan as generated code, with the way back from its lines to its operators. */
export class Query {
  /** As stack traces and profiles name the code. */
  readonly file = `venturi:query.${compiled++}`;
  readonly text: string;
  readonly dictionary = new TaggingDictionary();
  /** What its loops do, in the order in which they run. */
  readonly pipelines: readonly string[];
  readonly #plan: Plan;
  readonly #buffer: RowBuffer;
  readonly #memory: number;
  readonly #run: Pipelines;
  #claimed = 0;

  constructor({ plan }: { readonly plan: Plan }, { memory = DEFAULT_MEMORY }: QueryOptions = {}) {
    this.#memory = wholeNumber('query', 'memory', memory, 1);
    this.#plan = plan;
    const lowering = new Lowering(this.dictionary);
    this.#buffer = lowering.keep(plan, 'result');
    this.pipelines = lowering.pipelines.map(({ label }) => label);
    const listing = new Listing();
    listing.add(`// ${this.file} ${process.pid} ${performance.now()}`);
    listing.add(`'use strict';`);
    lowering.pipelines.forEach(({ lines }, at) => {
      listing.add(`function pipeline${at}(state) {`);
      for (const { text, task } of lines) listing.add(text, task);
      listing.add('}');
    });
    listing.add(`return [${lowering.pipelines.map((_, at) => `pipeline${at}`).join(', ')}];`);
    this.text = listing.text;
    this.dictionary.lines(listing.owners());
    const scope = { inputs: lowering.inputs, claim: this.#claim, resized, maskFor, oneRow, divisionByZero, notANumber };
    this.#run = compileFunction(this.text, Object.keys(scope), { filename: this.file })(
      ...Object.values(scope),
    ) as Pipelines;
  }

  readonly #claim = (bytes: number): void => {
    this.#claimed += bytes;
    if (this.#claimed <= this.#memory) return;
    throw new VenturiError(
      'VENTURI_BUDGET_TOO_SMALL',
      `the query keeps more than ${this.#memory} bytes in hash tables, groups and sorted rows`,
      { remedy: 'give it more memory, make the smaller relation the right side of a join, or filter before it' },
    );
  };

  /** Its rows, on the calling thread. */
  run(): readonly Row[] {
    const { rows, columns } = this.columns();
    return Array.from({ length: rows }, (_, row) => Object.fromEntries(columns.map(({ name, at }) => [name, at(row)])));
  }

  /** The same by column. */
  columns(): { readonly rows: number; readonly columns: readonly ResultColumn[] } {
    this.#claimed = 0;
    const state: Record<string, unknown> = {};
    for (const pipeline of this.#run) pipeline(state);
    const stored = state[this.#buffer.name] as Stored;
    const columns = [...this.#plan.schema].map(([name, facts], at) => resultColumn(name, facts, stored, `c${at}`));
    return { rows: stored.rows, columns };
  }
}

interface ResultColumn {
  readonly name: string;
  at(row: number): Row[string];
}

function resultColumn(name: string, { type, dictionary }: ColumnFacts, stored: Stored, slot: string): ResultColumn {
  const [values, nulls] = [stored[slot], stored[`${slot}n`]];
  const read = (value: number | string): Row[string] => {
    if (typeof value === 'string') return value;
    if (dictionary !== undefined) return dictionary[value] ?? null;
    return type === 'date' ? dateOf(value) : type === 'boolean' ? value === 1 : value;
  };
  return { name, at: row => (nulls?.[row] === 1 ? null : read(values?.[row] ?? 0)) };
}

function resized<A extends NumberArray>(array: A, room: number): A {
  const larger = new (array.constructor as new (length: number) => A)(room);
  larger.set(array);
  return larger;
}

/** A power of two, at least twice as many as rows, less one. */
const maskFor = (rows: number): number => 2 ** Math.max(1, Math.ceil(Math.log2(2 * rows + 1))) - 1;

function oneRow(rows: number): number {
  if (rows <= 1) return rows;
  throw new VenturiError('VENTURI_TYPE_MISMATCH', `a relation of ${rows} rows stands for one value`, {
    remedy: 'aggregate it without keys, or limit it to one row',
  });
}

function notANumber(): never {
  throw new VenturiError('VENTURI_TYPE_MISMATCH', 'a row has NaN for a key', {
    remedy: 'filter such rows before, or mark them in the nulls of their column',
  });
}

function divisionByZero(): never {
  throw new VenturiError('VENTURI_DIVISION_BY_ZERO', 'a row divides by zero', {
    remedy: 'filter such rows before, or say what they give: when(divisor.eq(0), 0, value.over(divisor))',
  });
}
