import { compileFunction } from 'node:vm';
import { badOption, describe, wholeNumber } from '../../model/option.ts';
import { announceQuery, claimLines, isProfiled } from '../compile/scripts.ts';
import { BegunPipelines } from './begun-pipelines.ts';
import { notTooDeep } from './given.ts';
import { givenPlan } from './given-parts.ts';
import { HelperCode } from './helper-code.ts';
import { InputLengths } from './input-lengths.ts';
import { Lowering } from './lowering.ts';
import type { Change } from './optimiser/changes.ts';
import { explanation } from './optimiser/explanation.ts';
import { optimise } from './optimiser/optimise.ts';
import type { ColumnFacts, Plan } from './plan.ts';
import { type Budget, scopeOf } from './query-scope.ts';
import type { RowBuffer } from './row-buffer.ts';
import { RowCounts } from './row-counts.ts';
import { dateOf, type NumberArray } from './table.ts';
import { TaggedListing } from './tagged-listing.ts';
import { TaggingDictionary } from './tagging-dictionary.ts';

export interface QueryOptions {
  /** By which profiles call it. */
  readonly name?: string;
  /** False: without line numbers of its own and copies of helpers, to measure what they cost a query that nobody profiles. Its samples then lead nowhere. */
  readonly isTracked?: boolean;
  /** Whether rows are counted on their way from operator to operator; unless given, where threads are profiled. */
  readonly countsRows?: boolean;
  /** Bytes that it may keep in hash tables, groups and sorted rows. */
  readonly memory?: number;
  /** False: the plan is carried out as it is written, and its code left as it comes. */
  readonly optimise?: boolean;
}

const DEFAULT_MEMORY = 2 ** 30;

/** What a query gives: a value is a number, a text, a boolean, a date as a text, or null. */
export type Row = Readonly<Record<string, number | string | boolean | null>>;

type Stored = Readonly<Record<string, NumberArray | readonly string[]>> & { readonly rows: number };
type Pipelines = readonly ((state: Record<string, unknown>) => void)[];

let compiled = 0;

/** A relational plan as generated code, with the way back from its lines to its operators. */
export class Query {
  readonly name: string;
  /** As stack traces and profiles name the code. */
  readonly file: string;
  /** The number of its first line there: no other generated code of this thread has any of its lines. */
  readonly firstLine: number;
  readonly text: string;
  readonly dictionary = new TaggingDictionary();
  /** Rows that have entered each operator of the dictionary, over all runs so far; those that left it, for a scan. Empty where they are not counted. It does not hold the query or its tables. */
  readonly rowCounts: () => readonly number[];
  /** What its loops do, in the order in which they run. */
  readonly pipelines: readonly string[];
  /** The plan that is carried out. */
  readonly plan: Plan;
  /** What the optimiser has changed in the one that was written. */
  readonly changes: readonly Change[];
  readonly #buffer: RowBuffer;
  readonly #budget: Budget;
  readonly #run: Pipelines;
  readonly #lengths: InputLengths;

  constructor(
    written: { readonly plan: Plan },
    {
      memory = DEFAULT_MEMORY,
      name,
      optimise: isOptimised = true,
      isTracked = true,
      countsRows = isProfiled(),
    }: QueryOptions = {},
  ) {
    const own = `query.${compiled++}`;
    if (name !== undefined && (typeof name !== 'string' || name === ''))
      throw badOption(`query: its name is ${describe(name)}`, "give a text: new Query(relation, { name: 'sales' })");
    this.name = name ?? own;
    this.file = `venturi:${own}`;
    this.#budget = { claimed: 0, memory: wholeNumber('query', 'memory', memory, 1) };
    const asked = givenPlan('query', written);
    const { plan, changes } = isOptimised ? notTooDeep(() => optimise(asked)) : { plan: asked, changes: [] };
    this.plan = plan;
    this.changes = changes;
    const counts = new RowCounts(countsRows);
    const begun = new BegunPipelines(this.dictionary, isOptimised, new HelperCode(isTracked), counts);
    this.#buffer = notTooDeep(() => new Lowering(begun).keep(plan, 'result'));
    this.pipelines = begun.done.map(({ label }) => label);
    const listing = new TaggedListing();
    listing.add(`// ${this.file} ${process.pid} ${performance.now()}`);
    listing.add(`'use strict';`);
    begun.helpers.write((text, task) => listing.add(text, [this.dictionary.written(text, task)]));
    begun.done.forEach(({ lines }, at) => {
      // What V8 moves out of a loop has the position of the function: it is the work of whoever drives the loop.
      const driver = lines.find(({ text }) => text.startsWith('rows: '))?.from;
      listing.add(`function pipeline${at}(state) {`, driver);
      for (const { text, from } of lines) listing.add(text, from);
      listing.add('}', driver);
      if (!isTracked) return;
      // V8 loses the frame of a function while some of what it calls runs (`slice` of a text): such samples lie on the line that calls the function.
      listing.add(`function enter${at}(state) {`);
      listing.add(`pipeline${at}(state);`);
      listing.add('}');
    });
    const entries = begun.done.map((_, at) => `${isTracked ? 'enter' : 'pipeline'}${at}`);
    listing.add(`return [${entries.join(', ')}];`);
    this.text = listing.text;
    this.dictionary.lines(this.text, listing.origins);
    this.firstLine = isTracked ? claimLines(listing.origins.length + 1) : 1;
    const rows = new Float64Array(counts.edges);
    this.rowCounts = counts.reader(rows, this.dictionary.operators.length);
    this.#lengths = new InputLengths(begun.inputs);
    const scope = scopeOf(begun.inputs, this.#budget, rows);
    this.#run = compileFunction(this.text, Object.keys(scope), {
      filename: this.file,
      lineOffset: this.firstLine - 1,
    })(...Object.values(scope)) as Pipelines;
    if (isTracked) announceQuery(this);
  }

  /** The plan as text, with estimates of rows, and what was changed in it. */
  explain(): string {
    return explanation(this.plan, this.changes);
  }

  /** Its rows, on the calling thread. */
  run(): readonly Row[] {
    const { rows, columns } = this.columns();
    return Array.from({ length: rows }, (_, row) => Object.fromEntries(columns.map(({ name, at }) => [name, at(row)])));
  }

  /** The same by column. */
  columns(): { readonly rows: number; readonly columns: readonly ResultColumn[] } {
    this.#lengths.check();
    this.#budget.claimed = 0;
    const state: Record<string, unknown> = {};
    for (const pipeline of this.#run) pipeline(state);
    const stored = state[this.#buffer.name] as Stored;
    const columns = [...this.plan.schema].map(([name, facts], at) => resultColumn(name, facts, stored, `c${at}`));
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
