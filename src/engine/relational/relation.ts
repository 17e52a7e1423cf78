import { badOption, wholeNumber } from '../../model/option.ts';
import { CallPlace } from '../compile/call-place.ts';
import { expressionOf, type Operand, type Term } from './expression.ts';
import { givenEntries, givenList, notTooDeep } from './given.ts';
import { givenAggregate, givenHow, givenPairs, givenPlan, givenTerm } from './given-parts.ts';
import { type Aggregate, type ColumnFacts, type JoinHow, NUMBER, type Plan, type Schema } from './plan.ts';
import { paired } from './schema.ts';
import type { Column, Table } from './table.ts';
import { columnIn, mismatch, typeOf } from './typing.ts';

export const count = (of?: Term): Aggregate =>
  of === undefined ? { kind: 'count' } : { kind: 'count', of: of.expression };
export const sum = (of: Operand): Aggregate => ({ kind: 'sum', of: expressionOf(of) });
export const avg = (of: Operand): Aggregate => ({ kind: 'avg', of: expressionOf(of) });
export const min = (of: Operand): Aggregate => ({ kind: 'min', of: expressionOf(of) });
export const max = (of: Operand): Aggregate => ({ kind: 'max', of: expressionOf(of) });
export const countDistinct = (of: Operand): Aggregate => ({ kind: 'countDistinct', of: expressionOf(of) });

export interface RelationOptions {
  /** What to call the operator in profiles. */
  readonly name?: string;
}

export type OrderBy = string | readonly [column: string, direction: 'asc' | 'desc'];

/** Rows of a table. `prefix` is put before its columns' names, where a table is read twice. */
export function scan(
  table: Table,
  { prefix = '', name }: RelationOptions & { readonly prefix?: string } = {},
): Relation {
  if (table instanceof Promise) throw badOption('scan: the table is a promise', 'write scan(await tableOf(…))');
  if (typeof table?.columns !== 'object' || typeof table.rows !== 'number')
    throw badOption('scan: this is no table', 'give what table() or await tableOf() returns');
  const schema = new Map(
    Object.entries(table.columns).map(([column, { type, data, nulls, dictionary }]): [string, ColumnFacts] => [
      `${prefix}${column}`,
      { type, nullable: nulls !== undefined, dictionary, isWhole: isWhole(data) },
    ]),
  );
  if (typeof prefix !== 'string') throw badOption('scan: the prefix is no text', "write scan(table, { prefix: 'p_' })");
  return new Relation({
    kind: 'scan',
    table,
    prefix,
    schema,
    label: name ?? `scan ${table.name}`,
    at: new CallPlace(),
  });
}

/** A relational dataflow. Nothing runs until it is compiled and run: see `compileQuery`. */
export class Relation {
  readonly plan: Plan;

  constructor(plan: Plan) {
    this.plan = plan;
  }

  /** Rows for which the condition holds; where it is unknown, it does not. Also what HAVING is, behind a `groupBy`. */
  filter(condition: Term, { name }: RelationOptions = {}): Relation {
    const { schema } = this.plan;
    const expression = givenTerm('filter', condition);
    const { type } = notTooDeep(() => typeOf(expression, schema));
    if (type !== 'boolean') throw mismatch(`a filter by a ${type}`);
    const own = { kind: 'filter', input: this.plan, condition: expression } as const;
    return new Relation({ ...own, schema, label: name ?? 'filter', at: new CallPlace() });
  }

  /** Columns by name, each an expression or the name of one that there is. */
  project(columns: Readonly<Record<string, Term | string>>, { name }: RelationOptions = {}): Relation {
    const expressions = new Map(
      givenEntries('project', columns, "{ price: 'price', tax: col('price').times(0.2) }").map(([column, of]) => [
        column,
        typeof of === 'string' ? ({ kind: 'column', name: of } as const) : givenTerm(`project: '${column}'`, of),
      ]),
    );
    const schema = new Map(
      [...expressions].map(([column, of]): [string, ColumnFacts] => [
        column,
        of.kind === 'column'
          ? columnIn(this.plan.schema, of.name)
          : { ...notTooDeep(() => typeOf(of, this.plan.schema)), dictionary: undefined, isWhole: false },
      ]),
    );
    return new Relation({
      kind: 'project',
      input: this.plan,
      columns: expressions,
      schema,
      label: name ?? 'project',
      at: new CallPlace(),
    });
  }

  /**
   * Rows of this relation, the left side, with those of `right` whose columns are equal: pairs of names, or one name where both have it…
   * All of the right side is kept in a hash table. `condition` is on the columns of both.
   */
  join(
    right: Relation,
    on: readonly (readonly [left: string, right: string])[],
    options: RelationOptions & { readonly how?: JoinHow; readonly condition?: Term } = {},
  ): Relation {
    const { condition, name = 'join' } = options;
    const how = givenHow(options.how ?? 'inner');
    const other = givenPlan('join', right);
    const pairs = givenPairs(on);
    for (const [ours, theirs] of pairs) {
      const types = [columnIn(this.plan.schema, ours).type, columnIn(other.schema, theirs).type];
      if (types[0] !== types[1]) throw mismatch(`'${ours}', a ${types[0]}, joined with '${theirs}', a ${types[1]}`);
    }
    const both = paired(this.plan.schema, other.schema, how);
    const expression = condition === undefined ? undefined : givenTerm('the condition of a join', condition);
    if (expression !== undefined && notTooDeep(() => typeOf(expression, both)).type !== 'boolean')
      throw mismatch('a join by a condition');
    return new Relation({
      kind: 'join',
      how,
      left: this.plan,
      right: other,
      on: pairs.map(([ours, theirs]) => ({ left: ours, right: theirs })),
      condition: expression,
      schema: how === 'semi' || how === 'anti' ? this.plan.schema : both,
      label: name,
      at: new CallPlace(),
    });
  }

  /** One row for every combination of keys; without keys exactly one row. */
  groupBy(
    keys: readonly string[],
    aggregates: Readonly<Record<string, Aggregate>>,
    { name = 'group by' }: RelationOptions = {},
  ): Relation {
    const { schema } = this.plan;
    const names = givenList('groupBy', keys, "['city']");
    const all = new Map(names.map((key): [string, ColumnFacts] => [key, columnIn(schema, key)]));
    const own = givenEntries('groupBy', aggregates, '{ orders: count() }');
    for (const [column, aggregate] of own) {
      if (all.has(column))
        throw badOption(`groupBy: there are two columns '${column}'`, 'give the aggregate another name');
      all.set(column, factsOf(givenAggregate(column, aggregate), schema, names.length === 0));
    }
    const grouped = { kind: 'groupBy', input: this.plan, keys: names, aggregates: new Map(own) } as const;
    return new Relation({ ...grouped, schema: all, label: name, at: new CallPlace() });
  }

  /** Rows without a value come last; rows that are equal keep their order. */
  orderBy(by: readonly OrderBy[], { name = 'order by' }: RelationOptions = {}): Relation {
    const example = "['city', ['total', 'desc']]";
    const columns = givenList('orderBy', by, example).map(each => {
      if (typeof each === 'string') return [each, 'asc'] as const;
      givenList('orderBy', each, example);
      return each;
    });
    for (const [column, direction] of columns) {
      columnIn(this.plan.schema, column);
      if (direction !== 'asc' && direction !== 'desc')
        throw badOption(`orderBy: '${column}' in order '${direction}'`, "say 'asc' or 'desc'");
    }
    return new Relation({
      kind: 'orderBy',
      input: this.plan,
      by: columns.map(([column, direction]) => ({ column, descending: direction === 'desc' })),
      schema: this.plan.schema,
      label: name,
      at: new CallPlace(),
    });
  }

  limit(rows: number, { name = 'limit' }: RelationOptions = {}): Relation {
    const own = { kind: 'limit', input: this.plan, count: wholeNumber('limit', 'rows', rows, 0) } as const;
    return new Relation({ ...own, schema: this.plan.schema, label: name, at: new CallPlace() });
  }
}

/** Of no rows there is a count, and nothing else. */
function factsOf(aggregate: Aggregate, schema: Schema, isAll: boolean): ColumnFacts {
  if (aggregate.of === undefined) return NUMBER;
  const of = aggregate.of;
  const { type, nullable } = notTooDeep(() => typeOf(of, schema));
  if (aggregate.kind === 'count' || aggregate.kind === 'countDistinct') return NUMBER;
  const unknown = { ...NUMBER, nullable: nullable || isAll };
  if (aggregate.kind === 'min' || aggregate.kind === 'max') return { ...unknown, type };
  if (type !== 'number') throw mismatch(`the ${aggregate.kind} of a ${type}`);
  return unknown;
}

const isWhole = (data: Column['data']): boolean =>
  [Int32Array, Int16Array, Uint16Array, Int8Array, Uint8Array].some(kind => data instanceof kind);
