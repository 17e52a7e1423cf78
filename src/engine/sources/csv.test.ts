import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, expectTypeOf, it } from 'vitest';
import type { Pipeline } from '../description/pipeline.ts';
import { type CsvOptions, type CsvValue, csv } from './csv.ts';
import { elementsOf, failureOf } from './elements.fixture.ts';

const golden = (name: string): string => fileURLToPath(new URL(`golden/${name}`, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'csv-'));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
function file(text: string | Uint8Array, name = `${files++}.csv`): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const guessed = (text: string): Record<string, CsvValue>[] => elementsOf(csv(file(text), { types: 'guess' }));

describe('csv', () => {
  it("reads what Python's csv module wrote as that module does", () => {
    const expected = JSON.parse(readFileSync(golden('csv.json'), 'utf8')) as Record<string, string[][]>;
    const options: Record<string, CsvOptions> = { semicolon: { delimiter: ';', quote: `'` } };
    for (const [name, rows] of Object.entries(expected)) {
      const path = golden(`${name}.csv`);
      expect(elementsOf(csv(path, { ...options[name], columns: false }))).toEqual(rows);
      const [header = [], ...rest] = rows;
      const objects = rest.map(row => Object.fromEntries(header.map((key, at) => [key, row[at]])));
      expect(elementsOf(csv(path, options[name]))).toEqual(objects);
    }
  });

  it('names columns by the first row of every file, or as told', () => {
    const one = file('id,name\n1,Ann\n2,Bob\n');
    const two = file('name,id\nCid,3\n');
    expect(elementsOf(csv([one, two]))).toEqual([
      { id: '1', name: 'Ann' },
      { id: '2', name: 'Bob' },
      { id: '3', name: 'Cid' },
    ]);
    expect(elementsOf(csv(file('1,Ann\n'), { columns: ['id', 'name'] }))).toEqual([{ id: '1', name: 'Ann' }]);
    expect(elementsOf(csv(one, { columns: false }), 1)).toEqual([
      ['id', 'name'],
      ['1', 'Ann'],
      ['2', 'Bob'],
    ]);
    expect(elementsOf(csv([file(''), file('only,header\n'), one].slice(0, 2)))).toEqual([]);
  });

  it('gives every row arrays and strings of its own', () => {
    const [first, second] = elementsOf(csv(file('1,2\n3,4\n'), { columns: false }), 10);
    expect([first, second]).toEqual([
      ['1', '2'],
      ['3', '4'],
    ]);
    expect(first).not.toBe(second);
  });

  it('makes plain keys of any name', () => {
    const [row] = elementsOf(csv(file('__proto__,"a ""b""",\n1,2,3\n')));
    expect(Object.entries(row ?? {})).toEqual([
      ['__proto__', '1'],
      ['a "b"', '2'],
      ['', '3'],
    ]);
  });

  it('reads gzip', () => {
    const text = `id,v\n${Array.from({ length: 20_000 }, (_, i) => `${i},${i * i}\n`).join('')}`;
    const rows = elementsOf(csv(file(gzipSync(text), 'a.csv.gz')), 1000);
    expect(rows).toHaveLength(20_000);
    expect(rows[19_999]).toEqual({ id: '19999', v: `${19_999 ** 2}` });
  });

  it('says which line has another number of fields', () => {
    const bad = (text: string, options?: CsvOptions) =>
      failureOf(() => elementsOf(csv(file(text, 'bad.csv'), options)));
    expect(bad('a,b\n"x\ny",2\n\n3\n')).toMatch(
      /^VENTURI_BAD_RECORD .*bad\.csv:5 has 1 field where the header has 2 \/ quote /,
    );
    expect(bad('a,b\n1,2,3\n')).toMatch(/bad\.csv:2 has 3 fields where the header has 2/);
    expect(bad('1,2\n', { columns: ['a'] })).toMatch(/bad\.csv:1 has 2 fields where columns has 1/);
    expect(bad('1,2\n3\n', { columns: false })).toMatch(/bad\.csv:2 has 1 field where the first row has 2/);
  });

  it('does not lose columns that share a name, nor mix files that have others', () => {
    expect(failureOf(() => elementsOf(csv(file('a,b,a\n1,2,3\n'))))).toMatch(
      /BAD_RECORD .*csv:1 names two columns 'a'/,
    );
    const paths = [file('a,b\n1,2\n'), file('a,c\n1,2\n')];
    expect(failureOf(() => elementsOf(csv(paths)))).toMatch(/BAD_RECORD .*csv:1 names other columns than .*csv \//);
  });

  it('refuses options that cannot be meant', () => {
    const refused: CsvOptions[] = [
      { delimiter: '' },
      { delimiter: '||' },
      { delimiter: '\n' },
      { quote: 'ż' },
      { quote: ',' },
      { columns: ['a', 'a'] },
      { types: 'numbers' as 'guess' },
    ];
    for (const options of refused) expect(failureOf(() => csv('a.csv', options))).toMatch(/^VENTURI_BAD_OPTION csv: /);
  });

  it('has types that say what elements are', () => {
    expectTypeOf(csv('a.csv')).toEqualTypeOf<Pipeline<Record<string, string>>>();
    expectTypeOf(csv<{ id: string }>('a.csv')).toEqualTypeOf<Pipeline<{ id: string }>>();
    expectTypeOf(csv('a.csv', { columns: false })).toEqualTypeOf<Pipeline<string[]>>();
    expectTypeOf(csv('a.csv', { types: 'guess' })).toEqualTypeOf<Pipeline<Record<string, CsvValue>>>();
    expectTypeOf(csv('a.csv', { types: 'guess', columns: false })).toEqualTypeOf<Pipeline<CsvValue[]>>();
  });
});

describe("csv with types: 'guess'", () => {
  it('makes numbers and booleans of columns that hold nothing else', () => {
    const text = 'n,x,flag,zip,big,word,none\n1,-1.5e3,true,007,9007199254740993,a,\n+2,.5,FALSE,123,1,1,\n,3.,,,,,\n';
    expect(guessed(text)).toEqual([
      { n: 1, x: -1500, flag: true, zip: '007', big: '9007199254740993', word: 'a', none: '' },
      { n: 2, x: 0.5, flag: false, zip: '123', big: '1', word: '1', none: '' },
      { n: undefined, x: 3, flag: undefined, zip: '', big: '', word: '', none: '' },
    ]);
  });

  it('does not take for numbers what only JavaScript does', () => {
    const words = ['0x10', ' 1', '1_000', 'Infinity', 'NaN', '1e', '--1', '0b1', '1,5'];
    for (const word of words) expect(guessed(`v\n"${word}"\n`)).toEqual([{ v: word }]);
  });

  it('keeps the types over all files, whatever the order of their columns', () => {
    const paths = [file('a,b\n'), file('a,b\n1,x\n'), file('b,a\n2,3\n')];
    expect(elementsOf(csv(paths, { types: 'guess' }))).toEqual([
      { a: 1, b: 'x' },
      { a: 3, b: '2' },
    ]);
    expect(elementsOf(csv(file('1,x\n2,y\n'), { types: 'guess', columns: false }), 1)).toEqual([
      [1, 'x'],
      [2, 'y'],
    ]);
  });

  it('says where a later value is of another type', () => {
    const text = `id,v\n${Array.from({ length: 2500 }, (_, i) => `${i},${i === 2000 ? 'n/a' : i}\n`).join('')}`;
    expect(failureOf(() => guessed(text))).toMatch(
      /^VENTURI_BAD_RECORD .*csv:2002 has 'n\/a' in column 'v', whose first values are all numbers \/ .*types: 'text'/,
    );
  });
});
