import { describe, expect, it } from 'vitest';
import { rowsOf } from '../bench/query/iterators.mjs';
import { queriesOf } from '../bench/query/queries.mjs';
import { difference } from '../bench/query/same-rows.mjs';
import { relationalTables, tpch } from '../bench/query/tpch.mjs';
import * as relational from '../src/engine/relational/index.ts';

const SCALE = 0.002;
const data = tpch(SCALE, 7);
const tables = relationalTables(data, relational);
const queries = queriesOf(tables, SCALE, relational);

/** Dates as the compiled query shows them. */
const shown = ({ plan }: relational.Relation, rows: readonly Record<string, unknown>[]): object[] =>
  rows.map(row =>
    Object.fromEntries(
      [...plan.schema].map(([name, { type }]) => [
        name,
        type === 'date' ? relational.dateOf(Number(row[name])) : row[name],
      ]),
    ),
  );

describe('TPC-H at a small scale', () => {
  it.each(Object.keys(queries))('%s gives what pull iterators give', name => {
    const relation = queries[name]?.();
    if (relation === undefined) throw new Error(`no query ${name}`);
    const own = new relational.Query(relation).run();
    expect(difference(own, shown(relation, rowsOf(relation.plan)))).toBeUndefined();
  });

  it('has tables that fit together, the same for the same seed', () => {
    expect(tpch(SCALE, 7)).toEqual(data);
    const values = (table: string, column: string): readonly (number | string)[] => data[table]?.[column] ?? [];
    const pairs = (table: string, one: string, other: string): string[] =>
      values(table, one).map((value, row) => `${value} ${values(table, other)[row]}`);
    const offers = pairs('partsupp', 'ps_partkey', 'ps_suppkey');
    expect(new Set(offers).size).toBe(offers.length);
    expect(new Set(offers)).toEqual(new Set([...offers, ...pairs('lineitem', 'l_partkey', 'l_suppkey')]));
    const orders = new Set(values('orders', 'o_orderkey'));
    expect(values('lineitem', 'l_orderkey').filter(key => !orders.has(key))).toEqual([]);
    expect(values('orders', 'o_custkey').filter(key => Number(key) % 3 === 0)).toEqual([]);
  });
});
