import { describe, expect, it } from 'vitest';
import { col } from './expression.ts';
import { Query } from './query.ts';
import { scan } from './relation.ts';
import { tableOf } from './table-rows.ts';

const TYPES = { id: 'number', name: 'string', day: 'date', open: 'boolean' } as const;

describe('a table of rows', () => {
  it('reads values as they come from files, and what is missing as no value', async () => {
    const rows = [
      { id: '7', name: 'a', day: '1995-03-15', open: 'true', more: 1 },
      { id: 8n, name: '', day: new Date('1969-12-31T23:00:00Z'), open: false },
      { id: '', name: 'a', day: null, open: undefined },
      { id: 1.5, name: 'a', day: '2000-02-29', open: true },
    ];
    expect(new Query(scan(await tableOf('t', rows, TYPES))).run()).toEqual([
      { id: 7, name: 'a', day: '1995-03-15', open: true },
      { id: 8, name: '', day: '1969-12-31', open: false },
      { id: null, name: 'a', day: null, open: null },
      { id: 1.5, name: 'a', day: '2000-02-29', open: true },
    ]);
  });

  it('may be empty', async () => {
    const none = await tableOf('t', [], TYPES);
    expect(new Query(scan(none).filter(col('name').like('a%')).orderBy(['id'])).run()).toEqual([]);
  });

  it.each([
    [{ id: 'seven', name: 'a', day: null, open: true }, "row 0 of 't' has 'seven' in 'id', which is no number"],
    [{ id: 2n ** 60n, name: 'a', day: null, open: true }, "in 'id', which is no number"],
    [{ id: 1, name: 2, day: null, open: true }, "has 2 in 'name', which is no string"],
    [{ id: 1, name: 'a', day: 5, open: true }, "has 5 in 'day', which is no date"],
    [{ id: 1, name: 'a', open: true }, "has no column 'day'"],
    [{ id: '  ', name: 'a', day: null, open: true }, "row 0 of 't' has '  ' in 'id', which is no number"],
    [{ id: 1, name: 'a', day: new Date(Number.NaN), open: true }, "has Invalid Date in 'day', which is no date"],
    [{ id: 1, name: 'a', day: '2020-02-30', open: true }, "row 0 of 't' has '2020-02-30' in 'day', which is no date"],
    [null, "row 0 of 't' is null, and has no columns"],
    ['a,b', "row 0 of 't' is 'a,b', and has no columns"],
  ])('refuses what is of another type: %o', async (row, message) => {
    await expect(tableOf('t', [row] as never, TYPES)).rejects.toMatchObject({
      code: 'VENTURI_BAD_RECORD',
      message: expect.stringContaining(message),
    });
  });

  it.each([
    ['no rows', 5, TYPES, "tableOf 't': 5 has no rows"],
    ['a text', 'id,name', TYPES, "tableOf 't': 'id,name' has no rows"],
    ['a promise of rows', Promise.resolve([]), TYPES, "tableOf 't': an object has no rows"],
    ['a type that there is not', [], { id: 'int' }, "tableOf 't': the type of 'id' is 'int'"],
    ['a list of columns', [], ['id'], "tableOf 't': a list has no names"],
    ['no columns', [], undefined, "tableOf 't': undefined has no names"],
  ])('refuses %s', async (_, rows, types, message) => {
    await expect(tableOf('t', rows as never, types as never)).rejects.toMatchObject({
      code: 'VENTURI_BAD_OPTION',
      message: expect.stringContaining(message),
    });
  });
});
