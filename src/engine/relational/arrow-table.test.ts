import { describe, expect, it } from 'vitest';
import { type ArrowTable, type ArrowVector, arrowTable } from './arrow-table.ts';
import { Query } from './query.ts';
import { scan } from './relation.ts';

/** A vector as `apache-arrow` has it: cells, and of numbers the array beneath. */
const vector = (type: Partial<ArrowVector['type']>, cells: readonly unknown[], values?: unknown): ArrowVector => ({
  length: cells.length,
  nullCount: cells.filter(cell => cell === null).length,
  type: { typeId: 0, ...type, toString: () => `Type<${type.typeId}>` },
  toArray: () => values ?? cells,
  get: row => cells[row],
});

const arrow = (columns: Readonly<Record<string, ArrowVector>>): ArrowTable => ({
  numRows: Object.values(columns)[0]?.length ?? 0,
  schema: { fields: Object.keys(columns).map(name => ({ name })) },
  getChild: name => columns[name] ?? null,
});

const INT32 = { typeId: 2, bitWidth: 32 };
const INT64 = { typeId: 2, bitWidth: 64 };

describe('a table of an Arrow table', () => {
  it('has its values, and none where it has none', () => {
    const values = Int32Array.of(7, 0, 9);
    const own = arrowTable(
      't',
      arrow({
        id: vector(INT32, [7, null, 9], values),
        wide: vector(INT64, [1n, 2n ** 53n - 1n, null]),
        size: vector({ typeId: 3 }, [0.5, 1, 2], Float64Array.of(0.5, 1, 2)),
        open: vector({ typeId: 6 }, [true, null, false]),
        day: vector({ typeId: 8 }, [0, 86_400_000, new Date('1995-03-15T00:00:00Z')]),
        text: vector({ typeId: 5 }, ['a', 'b', null]),
        kind: vector({ typeId: -1 }, ['x', 'x', 'x']),
      }),
    );
    expect(own.columns.id?.data).toBe(values);
    expect(own.columns.kind?.dictionary).toEqual(['x']);
    expect(new Query(scan(own)).run()).toEqual([
      { id: 7, wide: 1, size: 0.5, open: true, day: '1970-01-01', text: 'a', kind: 'x' },
      { id: null, wide: 2 ** 53 - 1, size: 1, open: null, day: '1970-01-02', text: 'b', kind: 'x' },
      { id: 9, wide: null, size: 2, open: false, day: '1995-03-15', text: null, kind: 'x' },
    ]);
  });

  it.each<[string, ArrowVector, string]>([
    ['a number that does not fit', vector(INT64, [2n ** 60n]), 'which no number holds exactly'],
    ['a list', vector({ typeId: 12 }, [[1]]), "column 'a' of 't' is of Arrow's type Type<12>"],
    ['a half', vector({ typeId: 3 }, [1], Uint16Array.of(15_360)), "of Arrow's type Type<3>"],
    ['a dictionary of numbers', vector({ typeId: -1 }, [1]), "of Arrow's type Type<-1>"],
  ])('refuses %s', (_, a, message) => {
    expect(() => arrowTable('t', arrow({ a }))).toThrow(message);
  });

  it('refuses what is none', () => {
    expect(() => arrowTable('t', JSON.parse('{}'))).toThrow("'t' is no Arrow table");
  });
});
