import { expect, test } from 'vitest';
import { figures, names, optional, table } from './columns.ts';

const rows = [
  { name: 'read', calls: 3 },
  { name: 'decode', calls: 5 },
];

test('a table has a cell of every column in every row, and leaves out columns that are false', () => {
  expect(
    table(rows, [
      names('operator', ({ name }) => name),
      false,
      optional(figures('calls', ({ calls }, index) => `${index}: ${calls}`)),
    ]),
  ).toEqual({
    type: 'table',
    columns: [
      { title: 'operator', align: 'left' },
      { title: 'calls', align: 'right', optional: true },
    ],
    rows: [
      ['read', '0: 3'],
      ['decode', '1: 5'],
    ],
  });
});
