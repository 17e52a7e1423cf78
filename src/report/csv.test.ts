import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvLine } from './csv.ts';
import { flatRows } from './flat-rows.ts';

/** A reader by the letter of RFC 4180. */
function parse(text: string): string[][] {
  const rows: string[][] = [];
  let [row, cell, isQuoted]: [string[], string, boolean] = [[], '', false];
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? '';
    if (isQuoted) {
      if (char !== '"') cell += char;
      else if (text[at + 1] === '"') {
        cell += char;
        at++;
      } else isQuoted = false;
    } else if (char === '"') isQuoted = true;
    else if (char === ',' || char === '\n') {
      row.push(cell);
      cell = '';
      if (char === '\n') {
        rows.push(row);
        row = [];
      }
    } else cell += char;
  }
  return rows;
}

test('any texts come back as they were, but for what a spreadsheet would obey', () => {
  fc.assert(
    fc.property(fc.array(fc.array(fc.string(), { minLength: 1 })), rows => {
      const back = parse(rows.map(csvLine).join(''));
      expect(back).toEqual(rows.map(row => row.map(cell => (/^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell))));
    }),
  );
});

test('numbers are left alone, and what is not there is empty', () => {
  expect(csvLine([-1.5, undefined, Number.NaN, true, '=HYPERLINK("x")'])).toBe(`-1.5,,,true,"'=HYPERLINK(""x"")"\n`);
});

test('rows of different shapes share their columns', () => {
  expect(
    flatRows([
      { a: 1, of: { mean: 2 } },
      { a: 3, list: ['x', 'y'] },
    ]),
  ).toEqual({
    columns: ['a', 'of.mean', 'list.0', 'list.1'],
    rows: [
      [1, 2, undefined, undefined],
      [3, undefined, 'x', 'y'],
    ],
  });
  expect(flatRows([])).toEqual({ columns: [], rows: [] });
});
