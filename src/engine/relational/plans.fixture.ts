import fc from 'fast-check';
import { expect } from 'vitest';
import { col, lit, type Term, when } from './expression.ts';
import { type NaiveRow, naive } from './naive.fixture.ts';
import { Query, type QueryOptions } from './query.ts';
import type { Relation } from './relation.ts';
import { dateOf, dictionaryOf, type Table, table } from './table.ts';

/** A table with a column of every kind, with and without nulls. */
export const tables = (name: string): fc.Arbitrary<Table> =>
  fc
    .array(
      fc.record({
        id: fc.nat(6),
        size: fc.constantFrom(-2.5, 0, 0.5, 1, 3, 1e9),
        day: fc.integer({ min: -800, max: 30_000 }),
        text: fc.constantFrom('', 'a', 'ab', 'b%', 'ba_', 'ÄÖ'),
        plain: fc.constantFrom('x', 'xy', 'a'),
        flag: fc.boolean(),
        none: fc.nat(3),
      }),
      { maxLength: 14 },
    )
    .map(rows => {
      const nulls = Uint8Array.from(rows, ({ none }) => (none === 0 ? 1 : 0));
      return table(name, {
        id: Int32Array.from(rows, ({ id }) => id),
        size: Float64Array.from(rows, ({ size }) => size),
        maybe: { type: 'number', data: Float64Array.from(rows, ({ size }) => size * 2), nulls },
        day: { type: 'date', data: Int32Array.from(rows, ({ day }) => day) },
        text: dictionaryOf(rows.map(({ text }) => text)),
        rare: { ...dictionaryOf(rows.map(({ text }) => text)), nulls },
        plain: rows.map(({ plain }) => plain),
        flag: { type: 'boolean', data: Uint8Array.from(rows, ({ flag }) => (flag ? 1 : 0)) },
      });
    });

export const numbers = (prefix: string): fc.Arbitrary<Term> =>
  fc.letrec<{ term: Term }>(tie => ({
    term: fc.oneof(
      { maxDepth: 2, depthIdentifier: 'numbers' },
      fc.constantFrom('id', 'size', 'maybe').map(name => col(`${prefix}${name}`)),
      fc.constantFrom(-1, 0, 2).map(value => lit(value)),
      fc.constantFrom('year' as const, 'month' as const, 'day' as const).map(part => col(`${prefix}day`)[part]()),
      fc
        .tuple(tie('term'), fc.constantFrom('plus' as const, 'minus' as const, 'times' as const), tie('term'))
        .map(([a, operator, b]) => a[operator](b)),
    ),
  })).term;

export const comparison = fc.constantFrom(
  'eq' as const,
  'ne' as const,
  'lt' as const,
  'le' as const,
  'gt' as const,
  'ge' as const,
);
export const textual = (prefix: string): fc.Arbitrary<Term> =>
  fc.oneof(
    fc.constantFrom('text', 'rare', 'plain').map(name => col(`${prefix}${name}`)),
    fc.constantFrom('text', 'plain').map(name => col(`${prefix}${name}`).substring(1, 1)),
    fc.constantFrom('a', '', 'zz').map(lit),
  );

export const conditions = (prefix: string): fc.Arbitrary<Term> =>
  fc.letrec<{ term: Term }>(tie => ({
    term: fc.oneof(
      { maxDepth: 3, depthIdentifier: 'conditions' },
      fc.tuple(numbers(prefix), comparison, numbers(prefix)).map(([a, operator, b]) => a[operator](b)),
      fc.tuple(textual(prefix), comparison, textual(prefix)).map(([a, operator, b]) => a[operator](b)),
      fc
        .tuple(textual(prefix), fc.constantFrom('a%', '%b', '%a%', '_', 'a_', '%', 'b\\%', '_b%_'))
        .map(([of, pattern]) => of.like(pattern)),
      fc.tuple(textual(prefix), fc.subarray(['a', 'ab', 'xy'])).map(([of, values]) => of.in(values)),
      fc.constantFrom('maybe', 'rare', 'id').map(name => col(`${prefix}${name}`).isNull()),
      fc.constant(col(`${prefix}flag`)),
      tie('term').map(of => of.not()),
      fc
        .tuple(tie('term'), fc.constantFrom('and' as const, 'or' as const), tie('term'))
        .map(([a, operator, b]) => a[operator](b)),
      fc.tuple(tie('term'), numbers(prefix), numbers(prefix)).map(([condition, a, b]) => when(condition, a, b).gt(0)),
    ),
  })).term;

export const keyPairs = fc.constantFrom<readonly (readonly [string, string])[]>(
  [['id', 'r_id']],
  [['maybe', 'r_maybe']],
  [['text', 'r_plain']],
  [
    ['rare', 'r_rare'],
    ['id', 'r_id'],
  ],
  [
    ['flag', 'r_flag'],
    ['size', 'r_size'],
  ],
);

/** Rows as text, so that null, -0 and dates compare. */
const shown = (relation: Relation, rows: readonly NaiveRow[]): unknown[] =>
  rows.map(row =>
    [...relation.plan.schema].map(([name, { type }]) => {
      const value = row[name];
      if (value === undefined) return null;
      if (type === 'date') return dateOf(Number(value));
      return typeof value === 'number' ? Number(value.toPrecision(12)) + 0 : value;
    }),
  );

/** Nested loops give what the query gives, as it is written and optimised. */
export function check(relation: Relation): void {
  const expected = shown(relation, naive(relation.plan));
  for (const optimise of [false, true]) expect(valuesOf(relation, { optimise })).toEqual(expected);
}

/** Rows as lists, numbers to twelve digits: sums are added up in any order. */
export function valuesOf(relation: Relation, options: QueryOptions): unknown[] {
  const rows = new Query(relation, options).run();
  return rows.map(row =>
    [...relation.plan.schema.keys()].map(name => {
      const value = row[name];
      return typeof value === 'number' ? Number(value.toPrecision(12)) + 0 : value;
    }),
  );
}
