import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { col, date, lit, scalar, type Term, when } from './expression.ts';
import { type NaiveRow, naive } from './naive.fixture.ts';
import type { JoinHow } from './plan.ts';
import { Query } from './query.ts';
import { avg, count, countDistinct, max, min, type Relation, scan, sum } from './relation.ts';
import { dateOf, dayOf, dictionaryOf, type Table, table } from './table.ts';

/** A table with a column of every kind, with and without nulls. */
const tables = (name: string): fc.Arbitrary<Table> =>
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

const numbers = (prefix: string): fc.Arbitrary<Term> =>
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

const comparison = fc.constantFrom(
  'eq' as const,
  'ne' as const,
  'lt' as const,
  'le' as const,
  'gt' as const,
  'ge' as const,
);
const textual = (prefix: string): fc.Arbitrary<Term> =>
  fc.oneof(
    fc.constantFrom('text', 'rare', 'plain').map(name => col(`${prefix}${name}`)),
    fc.constantFrom('text', 'plain').map(name => col(`${prefix}${name}`).substring(1, 1)),
    fc.constantFrom('a', '', 'zz').map(lit),
  );

const conditions = (prefix: string): fc.Arbitrary<Term> =>
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

const keyPairs = fc.constantFrom<readonly (readonly [string, string])[]>(
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

function check(relation: Relation): void {
  const rows = new Query(relation).run();
  const actual = rows.map(row =>
    [...relation.plan.schema.keys()].map(name => {
      const value = row[name];
      return typeof value === 'number' ? Number(value.toPrecision(12)) + 0 : value;
    }),
  );
  expect(actual).toEqual(shown(relation, naive(relation.plan)));
}

const RUNS = { numRuns: 150, seed: 7 };

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

const people = table('people', {
  name: ['Ann', 'Bob'],
  age: Float64Array.of(30, 0),
  born: { type: 'date', data: Int32Array.of(dayOf('1990-02-28'), dayOf('1969-12-31')) },
});

describe('what a query refuses', () => {
  it.each([
    [
      'an unknown column',
      () => scan(people).filter(col('nam').eq('Ann')),
      'VENTURI_UNKNOWN_COLUMN',
      "there is no column 'nam'",
    ],
    ['a text and a number', () => scan(people).filter(col('name').eq(1)), 'VENTURI_TYPE_MISMATCH', 'string = number'],
    [
      'a date and a text',
      () => scan(people).filter(col('born').lt('1990-01-01')),
      'VENTURI_TYPE_MISMATCH',
      'date < string',
    ],
    [
      'the sum of texts',
      () => scan(people).groupBy([], { x: sum(col('name')) }),
      'VENTURI_TYPE_MISMATCH',
      'the sum of a string',
    ],
    ['a number as a condition', () => scan(people).filter(col('age')), 'VENTURI_TYPE_MISMATCH', 'a filter by a number'],
    [
      'two dates added',
      () => scan(people).project({ x: col('born').plus(date('1990-01-01')) }),
      'VENTURI_TYPE_MISMATCH',
      'date + date',
    ],
    [
      'keys of two types',
      () => scan(people).join(scan(people, { prefix: 'r_' }), [['name', 'r_age']]),
      'VENTURI_TYPE_MISMATCH',
      'joined',
    ],
    [
      'a column that both have',
      () => scan(people).join(scan(people), [['name', 'name']]),
      'VENTURI_BAD_OPTION',
      "both sides have a column 'name'",
    ],
    ['a date that there is not', () => date('1990-02-30'), 'VENTURI_BAD_OPTION', "'1990-02-30' is no date"],
    [
      'columns of two lengths',
      () => table('x', { a: Int32Array.of(1), b: Int32Array.of(1, 2) }),
      'VENTURI_BAD_OPTION',
      '1 values',
    ],
    [
      'a place outside its dictionary',
      () => table('x', { a: { type: 'string', data: Int32Array.of(1), dictionary: ['a'] } }),
      'VENTURI_BAD_OPTION',
      'place 1 of 1',
    ],
  ])('%s', (_, build, code, message) => {
    expect(build).toThrow(expect.objectContaining({ code, message: expect.stringContaining(message) }));
  });

  it('a direction that is none', () => {
    const by = JSON.parse('[["age", "DESC"]]');
    expect(() => scan(people).orderBy(by)).toThrow("orderBy: 'age' in order 'DESC'");
  });

  it('division by zero, where a row does it', () => {
    const ratio = lit(1).over(col('age'));
    expect(() => new Query(scan(people).project({ ratio })).run()).toThrow(
      expect.objectContaining({ code: 'VENTURI_DIVISION_BY_ZERO' }),
    );
    const guarded = when(col('age').eq(0), 0, ratio);
    expect(new Query(scan(people).project({ guarded })).run()).toEqual([{ guarded: 1 / 30 }, { guarded: 0 }]);
  });

  it('NaN as a key', () => {
    const own = table('own', { size: Float64Array.of(1, Number.NaN) });
    const groups = scan(own).groupBy(['size'], { rows: count() });
    const pairs = scan(own).join(scan(people), [['size', 'age']]);
    for (const relation of [groups, pairs]) expect(() => new Query(relation).run()).toThrow('NaN for a key');
  });

  it('no NaN where the nulls of a column say that there is no value', () => {
    const data = Float64Array.of(1, Number.NaN);
    const own = table('own', { size: { type: 'number', data, nulls: Uint8Array.of(0, 1) } });
    expect(new Query(scan(own).groupBy(['size'], { rows: count() })).run()).toEqual([
      { size: 1, rows: 1 },
      { size: null, rows: 1 },
    ]);
    expect(new Query(scan(own).groupBy([], { sizes: countDistinct(col('size')) })).run()).toEqual([{ sizes: 1 }]);
    const anti = scan(own).join(scan(people), [['size', 'age']], { how: 'anti' });
    expect(new Query(anti).run()).toHaveLength(2);
  });

  it('several rows for one value', () => {
    const many = scalar(scan(people).project({ age: 'age' }));
    expect(() => new Query(scan(people).filter(col('age').lt(many))).run()).toThrow('a relation of 2 rows');
  });

  it('more memory than it may use, in a join, in groups and in order', () => {
    const rows = 100_000;
    const own = table('own', { id: Int32Array.from({ length: rows }, (_, at) => at) });
    const relations = [
      scan(people).join(scan(own), [['age', 'id']]),
      scan(own).groupBy(['id'], { rows: count() }),
      scan(own).orderBy(['id']),
    ];
    for (const relation of relations) {
      const query = new Query(relation, { memory: 1_000_000 });
      for (let time = 0; time < 2; time++) {
        expect(() => query.run()).toThrow(expect.objectContaining({ code: 'VENTURI_BUDGET_TOO_SMALL' }));
      }
    }
  });

  it('a key with a million duplicates is joined pair by pair', () => {
    const rows = 1_000_000;
    const own = table('own', { id: new Int32Array(rows) });
    const pairs = scan(people)
      .join(scan(own), [['age', 'id']])
      .groupBy([], { rows: count() });
    expect(new Query(pairs).run()).toEqual([{ rows }]);
  });
});

describe('the tagging dictionary', () => {
  const relation = scan(people)
    .filter(col('age').gt(1), { name: 'adults' })
    .join(scan(people, { prefix: 'r_' }), [['name', 'r_name']], { name: 'same name' })
    .groupBy(['name'], { rows: count() }, { name: 'by name' })
    .orderBy(['name'], { name: 'sorted' });

  it('knows the task of every line between the pipelines’ own, and its operator', () => {
    const { text, dictionary } = new Query(relation);
    const lines = text.split('\n');
    const own = /^(\/\/ |'use strict';|function enter\d+\(state\) \{$| *pipeline\d+\(state\);$|\}$|return \[)/;
    const engines = lines.filter((line, at) => dictionary.taskOf(at + 1) === undefined && !own.test(line));
    expect(engines).toEqual([]);
    const labels = lines.map((_, at) => dictionary.operators[dictionary.operatorOf(at + 1) ?? -1]?.label);
    const labelOf = (part: RegExp): string | undefined => labels[lines.findIndex(line => part.test(line))];
    expect(labelOf(/> 1;$/)).toBe('adults');
    expect(labelOf(/^ *while \(e\d+ !== 0\) \{$/)).toBe('same name');
    expect(labelOf(/\.sort\(/)).toBe('sorted');
    expect(labelOf(/\+\+;$/)).toBe('same name');
  });

  it('has for the line at which something is thrown the operator that threw it', () => {
    const rows = scan(people).filter(col('age').ge(0), { name: 'all' });
    const zero = col('age').minus(col('age'));
    const thrown: Readonly<Record<string, [Query, string]>> = {
      'a filter': [new Query(rows.filter(col('age').over(zero).gt(1), { name: 'divides' })), 'divides'],
      'a projection': [new Query(rows.project({ x: col('age').over(zero) }, { name: 'divides' })), 'divides'],
      'an aggregate': [new Query(rows.groupBy([], { x: sum(col('age').over(zero)) }, { name: 'sums' })), 'sums'],
      'a join that is built': [
        new Query(scan(people, { prefix: 'l_' }).join(rows, [['l_name', 'name']], { name: 'joins' }), { memory: 1 }),
        'joins',
      ],
      'a copy of a helper': [new Query(rows.orderBy(['name'], { name: 'sorts' }), { memory: 1 }), 'sorts'],
    };
    for (const [what, [query, name]] of Object.entries(thrown)) {
      let stack = '';
      try {
        query.run();
      } catch (error) {
        stack = String((error as Error).stack);
      }
      const lines = [...stack.matchAll(/venturi:query\.\d+:(\d+):/g)].map(([, line]) => Number(line));
      expect(lines[0], what).toBeGreaterThanOrEqual(query.firstLine);
      const operator = query.dictionary.operatorOf((lines[0] ?? 0) - query.firstLine + 1);
      expect(query.dictionary.operators[operator ?? -1]?.label, what).toBe(name);
    }
  });

  it('tells the tasks of an operator apart', () => {
    const { dictionary, pipelines } = new Query(relation);
    const join = dictionary.operators.findIndex(({ label }) => label === 'same name');
    const roles = dictionary.tasks
      .filter(({ operator }) => operator === join)
      .map(({ role, pipeline }) => ({ role, in: pipeline }));
    expect(roles.map(({ role }) => role)).toEqual(['build', 'probe']);
    expect(new Set(roles.map(({ in: pipeline }) => pipeline)).size).toBe(2);
    expect(pipelines).toHaveLength(4);
  });

  it('writes one statement a line', () => {
    const { text } = new Query(relation);
    const statements = text.split('\n').filter(line => !line.startsWith('//') && !/\bfor \(/.test(line));
    expect(statements.filter(line => (line.match(/;/g) ?? []).length > 1)).toEqual([]);
  });
});
