import { describe, expect, it } from 'vitest';
import { col, date, lit, scalar, when } from './expression.ts';
import { people } from './people.fixture.ts';
import { Query } from './query.ts';
import { count, countDistinct, type Relation, scan, sum } from './relation.ts';
import { type Table, table } from './table.ts';
import { tableOf } from './table-rows.ts';

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
    [
      'a table that is not there yet',
      () => scan(tableOf('x', [], { a: 'number' }) as unknown as Table),
      'VENTURI_BAD_OPTION',
      'the table is a promise',
    ],
    ['what is no table', () => scan(JSON.parse('{"rows": 3}')), 'VENTURI_BAD_OPTION', 'this is no table'],
    ['no table at all', () => scan(JSON.parse('null')), 'VENTURI_BAD_OPTION', 'this is no table'],
    [
      'numbers of 64 bits',
      () => table('x', { a: new BigInt64Array(1) as unknown as Int32Array }),
      'VENTURI_BAD_OPTION',
      "column 'a' of 'x' is a BigInt64Array",
    ],
    [
      'numbers of 64 bits with a type',
      () => table('x', { a: { type: 'number', data: new BigUint64Array(1) as unknown as Int32Array } }),
      'VENTURI_BAD_OPTION',
      "column 'a' of 'x' is a BigUint64Array",
    ],
    [
      'what is no column',
      () => table('x', JSON.parse('{"a": 3}')),
      'VENTURI_BAD_OPTION',
      "column 'a' of 'x' is no column",
    ],
    [
      'a type that there is not',
      () => table('x', JSON.parse('{"a": {"type": "int", "data": []}}')),
      'VENTURI_BAD_OPTION',
      "column 'a' of 'x' is no column",
    ],
  ])('%s', (_, build, code, message) => {
    expect(build).toThrow(expect.objectContaining({ code, message: expect.stringContaining(message) }));
  });

  // Programs without types, and people with other libraries in mind.
  const any = (value: unknown) => value as never;
  it.each([
    ['a filter by nothing', () => scan(people).filter(any(undefined)), 'filter: undefined is no term'],
    ['a filter by a text', () => scan(people).filter(any('age > 3')), "filter: 'age > 3' is no term"],
    ['a filter by a function', () => scan(people).filter(any(() => true)), 'filter: a function is no term'],
    ['a projection to a number', () => scan(people).project(any({ x: 5 })), "project: 'x': 5 is no term"],
    ['a projection to a list', () => scan(people).project(any(['age'])), 'project: a list has no names'],
    ['a key without a list', () => scan(people).groupBy(any('age'), { n: count() }), "groupBy: 'age' is no list"],
    ['groups without aggregates', () => scan(people).groupBy(['age'], any(undefined)), 'undefined has no names'],
    ['a term as an aggregate', () => scan(people).groupBy([], any({ x: col('age') })), "'x' is an object, and no agg"],
    ['count without a call', () => scan(people).groupBy([], any({ x: count })), "'x' is a function, and no aggregate"],
    ['a join with a table', () => scan(people).join(any(people), [['age', 'age']]), 'an object is no relation'],
    ['a join by one name', () => scan(people).join(scan(people), any(['age'])), "'age' is no pair of columns"],
    ['a join by nothing', () => scan(people).join(scan(people), any(undefined)), 'join: undefined is no list'],
    [
      'a join that there is not',
      () => scan(people).join(scan(people, { prefix: 'r_' }), [['age', 'r_age']], { how: any('outer') }),
      "join: how is 'outer'",
    ],
    [
      'a condition of a join that is none',
      () => scan(people).join(scan(people, { prefix: 'r_' }), [['age', 'r_age']], { condition: any('x') }),
      "the condition of a join: 'x' is no term",
    ],
    ['an order without a list', () => scan(people).orderBy(any('age')), "orderBy: 'age' is no list"],
    ['an order by a term', () => scan(people).orderBy(any([col('age')])), 'orderBy: an object is no list'],
    ['a list that is none', () => col('name').in(any('Ann')), "in: 'Ann' is no list"],
    ['a pattern that is none', () => col('name').like(any(5)), 'like: the pattern is no text'],
    ['a case of a text', () => when(any('x'), 1, 2), "when: 'x' is no term"],
    ['a table as a value', () => scalar(any(people)), 'scalar: an object is no relation'],
    ['a prefix that is no text', () => scan(people, { prefix: any(5) }), 'scan: the prefix is no text'],
    ['a query of nothing', () => new Query(any(undefined)), 'query: undefined is no relation'],
    ['a query of a table', () => new Query(any(people)), 'query: an object is no relation'],
    ['a query without a name', () => new Query(scan(people), { name: '' }), "query: its name is ''"],
    ['a query with a number for a name', () => new Query(scan(people), { name: any(5) }), 'query: its name is 5'],
    ['a table of nothing', () => table('x', any(undefined)), "the table 'x': undefined has no names"],
    [
      'a boolean that is neither',
      () => table('x', { a: { type: 'boolean', data: Uint8Array.of(0, 2) } }),
      "row 1 of column 'a' of 'x' is 2",
    ],
    [
      'a date that is no whole day',
      () => table('x', { a: { type: 'date', data: Float64Array.of(1, 1.5) } }),
      "row 1 of column 'a' of 'x' is 1.5, which is no day",
    ],
    [
      'a date that is not known',
      () => table('x', { a: { type: 'date', data: Float64Array.of(Number.NaN) } }),
      "row 0 of column 'a' of 'x' is NaN, which is no day",
    ],
    [
      'a day beyond all dates',
      () => table('x', { a: { type: 'date', data: Int32Array.of(100_000_001) } }),
      "row 0 of column 'a' of 'x' is 100000001, which is no day",
    ],
    [
      'a null that is neither',
      () => table('x', { a: { type: 'number', data: Int32Array.of(0, 2), nulls: Uint8Array.of(255, 0) } }),
      "row 0 of the list of nulls of column 'a' of 'x' is 255",
    ],
    [
      'conditions without end',
      () => scan(people).filter(Array.from({ length: 50_000 }, () => col('age').eq(1)).reduce((a, b) => a.or(b))),
      'the query is nested too deeply',
    ],
    [
      'operators without end',
      () => {
        let relation = scan(people);
        for (let at = 0; at < 20_000; at++) relation = relation.limit(5);
        return new Query(relation);
      },
      'the query is nested too deeply',
    ],
  ])('%s', (_, build, message) => {
    expect(build).toThrow(
      expect.objectContaining({ code: 'VENTURI_BAD_OPTION', message: expect.stringContaining(message) }),
    );
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

  it('a date that computing has brought beyond all dates, and knows those of far years', () => {
    const days = {
      type: 'date',
      data: Float64Array.of(-1e8, 2_932_897, 1e8, Number.NaN),
      nulls: Uint8Array.of(0, 0, 0, 1),
    } as const;
    const far = scan(table('far', { day: days }));
    expect(new Query(far).run().map(({ day }) => day)).toEqual([
      '-271821-04-20',
      '+010000-01-01',
      '+275760-09-13',
      null,
    ]);
    expect(() => new Query(far.project({ day: col('day').plus(1) })).run()).toThrow(
      'day 100000001 is beyond all dates',
    );
  });

  it('a table whose arrays have lost their rows since', () => {
    const ids = Int32Array.of(1, 2, 3);
    const names = ['a', 'b', 'c'];
    const query = new Query(scan(table('own', { ids, names })));
    expect(query.run()).toHaveLength(3);
    names.pop();
    expect(() => query.run()).toThrow('a column that had 3 rows when the query was compiled has 2');
    names.push('c');
    expect(query.run()).toHaveLength(3);
    structuredClone(ids, { transfer: [ids.buffer] });
    expect(() => query.run()).toThrow('a column that had 3 rows when the query was compiled has 0');
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

  it('a group with a million rows, and a million duplicates of a key that a group-join keeps once', () => {
    const rows = 1_000_000;
    const own = table('own', { id: new Int32Array(rows) });
    const groups = scan(own)
      .join(scan(table('names', { n_id: Int32Array.of(0, 1) })), [['id', 'n_id']])
      .groupBy(['n_id'], { rows: count(), total: sum(col('id')) });
    expect(new Query(groups).plan).toHaveProperty('groupJoin', 'right');
    for (const optimise of [false, true])
      expect(new Query(groups, { optimise }).run()).toEqual([{ n_id: 0, rows, total: 0 }]);
  });

  it('more memory than it may use in a group-join', () => {
    const rows = 100_000;
    const own = table('own', { id: Int32Array.from({ length: rows }, (_, at) => at) });
    const groups = scan(people)
      .join(scan(own), [['age', 'id']])
      .groupBy(['id'], { rows: count() });
    const query = new Query(groups, { memory: 1_000_000 });
    expect(query.plan).toHaveProperty('groupJoin', 'right');
    expect(() => query.run()).toThrow(expect.objectContaining({ code: 'VENTURI_BUDGET_TOO_SMALL' }));
  });
});

describe('tables without rows', () => {
  const none = table('none', { id: new Int32Array(0), size: new Float64Array(0), text: [] });
  const all = [
    scan(none)
      .filter(col('size').gt(1))
      .project({ half: col('size').over(2) }),
    scan(none).join(scan(people), [['size', 'age']]),
    scan(people).join(scan(none), [['age', 'size']], { how: 'semi' }),
    scan(none).groupBy(['id', 'text'], { total: sum(col('size')) }),
    scan(none)
      .join(scan(none, { prefix: 'r_' }), [['id', 'r_id']])
      .groupBy(['id'], { rows: count() }),
    scan(none).orderBy(['text']).limit(3),
  ];
  it.each(all.map(relation => [relation.plan.kind, relation] as const))('give none: %s', (_, relation) => {
    for (const optimise of [false, true]) expect(new Query(relation, { optimise }).run()).toEqual([]);
  });

  it('give one group of all rows, and leave rows of a left or anti join', () => {
    for (const optimise of [false, true]) {
      const rows = (relation: Relation): unknown => new Query(relation, { optimise }).run();
      expect(rows(scan(none).groupBy([], { rows: count(), total: sum(col('size')) }))).toEqual([
        { rows: 0, total: null },
      ]);
      expect(rows(scan(people).join(scan(none), [['age', 'size']], { how: 'anti' }))).toHaveLength(2);
      expect(
        rows(
          scan(people)
            .join(scan(none), [['age', 'size']], { how: 'left' })
            .project({ id: 'id' }),
        ),
      ).toEqual([{ id: null }, { id: null }]);
    }
  });
});
