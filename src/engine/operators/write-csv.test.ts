import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { csv } from '../sources/csv.ts';
import { elementsOf, failureOf } from '../sources/elements.fixture.ts';
import { range } from '../sources/range.ts';
import { writeWith } from './write.fixture.ts';
import { csvTo, type WriteCsvOptions } from './write-csv.ts';

const folder = mkdtempSync(join(tmpdir(), 'write-csv-'));
afterAll(() => rmSync(folder, { recursive: true }));
const path = join(folder, 'out.csv');

async function written(elements: readonly unknown[], options: WriteCsvOptions = {}): Promise<string> {
  await writeWith(csvTo(path, options), elements);
  return readFileSync(path, 'utf8');
}

describe('a CSV file', () => {
  it('names the columns of the first element, and quotes what would be misread', async () => {
    const rows = [
      { id: 1, text: 'plain', day: new Date(0), big: 2n ** 60n, ok: true, none: null },
      { id: 2.5, text: 'a, "b"\nc\r', day: undefined, big: undefined, ok: false, none: undefined },
      { id: -0.1, text: 'Grüße 😀' },
    ];
    expect(await written(rows)).toBe(
      'id,text,day,big,ok,none\n' +
        '1,plain,1970-01-01T00:00:00.000Z,1152921504606846976,true,\n' +
        '2.5,"a, ""b""\nc\r",,,false,\n' +
        '-0.1,Grüße 😀,,,,\n',
    );
  });

  it('has only the columns that were named, in their order, under a header or none', async () => {
    const rows = [{ a: 1, b: 2, c: 3 }, { c: 6 }];
    expect(await written(rows, { columns: ['c', 'a'] })).toBe('c,a\n3,1\n6,\n');
    expect(await written(rows, { columns: ['c', 'a'], header: false, delimiter: '\t' })).toBe('3\t1\n6\t\n');
    expect(await written([], { columns: ['c', 'a'] })).toBe('c,a\n');
    expect(await written([])).toBe('');
  });

  it('of arrays has a header where their fields are named', async () => {
    expect(
      await written([
        ['a', 1],
        ['b', 2],
      ]),
    ).toBe('a,1\nb,2\n');
    expect(await written([['a', 1]], { columns: ['name', 'count'] })).toBe('name,count\na,1\n');
  });

  it('gives back what was written, whatever the text', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('', '"', ',', ';', '\n', '\r', '\ufeff', ' x '),
    );
    const rows = fc
      .integer({ min: 1, max: 4 })
      .chain(width =>
        fc.tuple(
          fc.uniqueArray(text, { minLength: width, maxLength: width }),
          fc.array(fc.array(text, { minLength: width, maxLength: width }), { maxLength: 60 }),
        ),
      );
    await fc.assert(
      fc.asyncProperty(
        rows,
        fc.constantFrom(',', ';', '\t', '|', ']', '\\', '^'),
        async ([columns, fields], delimiter) => {
          await written(fields, { columns, delimiter });
          const named = fields.map(row => Object.fromEntries(row.map((field, at) => [columns[at], field])));
          expect(elementsOf(csv(path, { delimiter }))).toEqual(named);
          await written(fields, { delimiter });
          expect(elementsOf(csv(path, { delimiter, columns: false }))).toEqual(fields);
        },
      ),
      { numRuns: 30 },
    );
  });

  it.each([
    [[{ a: 1 }, { a: 1, b: 2 }], "column 'b' was not there before: name all columns"],
    [[{ a: [1] }], "column 'a' holds an array, which is no field"],
    [[{ a: new Date(Number.NaN) }], "column 'a' holds an invalid date"],
    [[{}], 'has no columns'],
    [['text'], 'text is not an object'],
    [[['a'], ['a', 'b']], 'an array of 2 fields cannot be a row of 1'],
    [[['a'], { a: 1 }], 'an object follows arrays'],
  ])('is not left behind where an element is no row: %j', async (elements, message) => {
    rmSync(path, { force: true });
    await expect(written(elements)).rejects.toThrow(message);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is refused with options that make none', () => {
    const refused = (options: WriteCsvOptions): string => failureOf(() => range(1).writeCsv(path, options));
    expect(refused({ delimiter: '"' })).toContain("VENTURI_BAD_OPTION writeCsv: delimiter is '\"'");
    expect(refused({ delimiter: 'ö' })).toContain('one ASCII character');
    expect(refused({ columns: [] })).toContain('columns is empty');
    expect(refused({ columns: ['a', 'a'] })).toContain("columns has 'a' twice");
  });
});
