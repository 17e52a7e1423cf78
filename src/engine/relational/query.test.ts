import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rounds } from '../../../test/fixtures/depth.ts';
import { col, scalar, when } from './expression.ts';
import type { JoinHow } from './plan.ts';
import { check, comparison, conditions, keyPairs, numbers, tables, textual } from './plans.fixture.ts';
import { Query } from './query.ts';
import { avg, count, countDistinct, max, min, scan, sum } from './relation.ts';
import { table } from './table.ts';

const RUNS = { numRuns: rounds(60, 150), seed: 7 };

describe('a compiled query gives what nested loops give', () => {
  it('filter and project', () => {
    fc.assert(
      fc.property(tables('t'), conditions(''), numbers(''), textual(''), (own, condition, value, text) => {
        check(
          scan(own)
            .filter(condition)
            .project({ value, text, day: 'day', when: when(condition, text, 'else'), condition }),
        );
      }),
      RUNS,
    );
  });

  it('joins of all kinds, by keys of all types, with and without a condition', () => {
    const both = fc.option(fc.tuple(numbers(''), comparison, numbers('r_')), { nil: undefined });
    const kinds = fc.constantFrom<JoinHow>('inner', 'left', 'semi', 'anti');
    fc.assert(
      fc.property(
        tables('t'),
        tables('r'),
        keyPairs,
        kinds,
        both,
        conditions(''),
        (left, right, on, how, extra, condition) => {
          const residual = extra === undefined ? {} : { condition: extra[0][extra[1]](extra[2]) };
          const joined = scan(left).join(scan(right, { prefix: 'r_' }).filter(col('r_size').lt(5)), on, {
            how,
            ...residual,
          });
          check(joined);
          check(joined.filter(condition).limit(3));
        },
      ),
      RUNS,
    );
  });

  it('groups and their aggregates, with HAVING', () => {
    const keys = fc.subarray(['id', 'maybe', 'text', 'rare', 'plain', 'flag', 'day'], { maxLength: 3 });
    fc.assert(
      fc.property(tables('t'), conditions(''), keys, numbers(''), textual(''), (own, condition, by, value, text) => {
        const groups = scan(own)
          .filter(condition)
          .project({
            id: 'id',
            maybe: 'maybe',
            text: 'text',
            rare: 'rare',
            plain: 'plain',
            flag: 'flag',
            day: 'day',
            value,
            other: text,
          })
          .groupBy(by, {
            rows: count(),
            known: count(col('maybe')),
            total: sum(col('value')),
            mean: avg(col('maybe')),
            least: min(col('value')),
            most: max(col('maybe')),
            first: min(col('other')),
            last: max(col('rare')),
            lastDay: max(col('day')),
            texts: countDistinct(col('rare')),
            plains: countDistinct(col('other')),
            values: countDistinct(col('maybe')),
          });
        check(groups);
        check(groups.filter(col('rows').gt(1)).project({ rows: 'rows', mean: 'mean' }));
      }),
      RUNS,
    );
  });

  it('orders and limits, nulls last, equal rows as they came', () => {
    const by = fc.subarray(['maybe', 'text', 'rare', 'plain', 'flag', 'day', 'size'], { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(tables('t'), by, fc.boolean(), fc.nat(5), (own, columns, descending, rows) => {
        const sorted = scan(own).orderBy(columns.map(column => [column, descending ? 'desc' : 'asc'] as const));
        check(sorted);
        check(sorted.limit(rows).groupBy([], { rows: count() }));
      }),
      RUNS,
    );
  });

  it('NaN above every number as the least and the most of a group, in any order of rows', () => {
    const rows = fc.shuffledSubarray([1, 2, Number.NaN], { minLength: 1 });
    fc.assert(
      fc.property(rows, sizes => {
        const own = table('own', { size: Float64Array.from(sizes) });
        const found = new Query(scan(own).groupBy([], { least: min(col('size')), most: max(col('size')) })).run();
        const sorted = [...sizes].sort((a, b) => (Number.isNaN(a) ? 1 : Number.isNaN(b) ? -1 : a - b));
        expect(found).toEqual([{ least: sorted[0], most: sorted.at(-1) }]);
      }),
    );
  });

  it('NaN above every number, so that what is around it is in order', () => {
    const data = Float64Array.of(3, Number.NaN, 1, 9, Number.NaN, 2);
    const own = table('own', { size: { type: 'number', data, nulls: Uint8Array.of(0, 0, 0, 1, 0, 0) } });
    const sizes = (direction: 'asc' | 'desc'): unknown[] =>
      new Query(scan(own).orderBy([['size', direction]])).run().map(({ size }) => size);
    expect(sizes('asc')).toEqual([1, 2, 3, Number.NaN, Number.NaN, null]);
    expect(sizes('desc')).toEqual([Number.NaN, Number.NaN, 3, 2, 1, null]);
  });

  it('scalar subqueries as inputs, null where they have no row', () => {
    fc.assert(
      fc.property(tables('t'), tables('u'), (own, other) => {
        const mean = scalar(
          scan(other)
            .filter(col('flag'))
            .groupBy([], { mean: avg(col('size')) }),
        );
        const none = scalar(scan(other).filter(col('id').gt(99)).project({ size: 'size' }));
        check(
          scan(own)
            .filter(col('size').gt(mean))
            .project({ id: 'id', half: mean.over(2), none }),
        );
      }),
      RUNS,
    );
  });

  it('many groups and rows: memory grows, chains are linked anew', () => {
    const rows = 20_000;
    const large = table('large', {
      id: Int32Array.from({ length: rows }, (_, at) => (at * 7919) % 6007),
      value: Float64Array.from({ length: rows }, (_, at) => at % 13),
    });
    const groups = new Query(
      scan(large).groupBy(['id'], { total: sum(col('value')), values: countDistinct(col('value')) }),
    ).run();
    const expected = new Map<number, { total: number; values: Set<number> }>();
    for (let at = 0; at < rows; at++) {
      const own = expected.get((at * 7919) % 6007) ?? { total: 0, values: new Set() };
      own.total += at % 13;
      own.values.add(at % 13);
      expected.set((at * 7919) % 6007, own);
    }
    expect(groups).toEqual([...expected].map(([id, { total, values }]) => ({ id, total, values: values.size })));
    const pairs = scan(large)
      .join(scan(large, { prefix: 'r_' }), [['id', 'r_id']])
      .groupBy([], { rows: count() });
    const rowsOf = new Map<number, number>();
    for (let at = 0; at < rows; at++) rowsOf.set((at * 7919) % 6007, (rowsOf.get((at * 7919) % 6007) ?? 0) + 1);
    const squares = [...rowsOf.values()].reduce((all, own) => all + own * own, 0);
    expect(new Query(pairs).run()).toEqual([{ rows: squares }]);
  });
});
