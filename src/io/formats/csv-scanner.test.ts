import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { failureOf, windowOn } from '../../engine/sources/elements.fixture.ts';
import { CsvScanner } from './csv-scanner.ts';

interface Row {
  readonly line: number;
  readonly fields: readonly string[];
}

function rowsOf(text: string | Uint8Array, piece = 1e9, delimiter = ',', quote = '"'): Row[] {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  const dialect = { delimiter: delimiter.charCodeAt(0), quote: quote === '' ? -1 : quote.charCodeAt(0) };
  const scanner = new CsvScanner(windowOn(bytes, piece, true, 'a.csv'), dialect);
  const rows: Row[] = [];
  for (let count = scanner.next(); count > 0; count = scanner.next()) {
    const fields = new Array<string>(count).fill('');
    scanner.fields(fields);
    rows.push({ line: scanner.line, fields });
  }
  return rows;
}

const fieldsOf = (...given: Parameters<typeof rowsOf>) => rowsOf(...given).map(({ fields }) => fields);

const character = fc.constantFrom('a', '"', ',', '\n', '\r', '\r\n', ' ', 'ż', '🐢', 'word', ';');
const field = fc.array(character, { maxLength: 6 }).map(parts => parts.join(''));
const rows = fc.array(fc.array(field, { minLength: 1, maxLength: 5 }), { maxLength: 8 });
const written = (value: string): string =>
  /[",\n\r]/.test(value) || value === '' ? `"${value.replaceAll('"', '""')}"` : value;

describe('CsvScanner', () => {
  it('gives the fields that were written, however the bytes arrive', () => {
    const ending = fc.constantFrom('\n', '\r\n', '\r');
    fc.assert(
      fc.property(rows, ending, fc.boolean(), fc.integer({ min: 1, max: 40 }), (table, end, last, piece) => {
        const text = table.map(row => row.map(written).join(',')).join(end) + (last ? end : '');
        expect(fieldsOf(text, piece)).toEqual(table);
      }),
      { numRuns: 150 },
    );
  });

  it('ends rows at line feeds, returns or both, and at the end of the file', () => {
    expect(fieldsOf('a,b\nc,d\r\ne,f\rg,h')).toEqual([
      ['a', 'b'],
      ['c', 'd'],
      ['e', 'f'],
      ['g', 'h'],
    ]);
    expect(fieldsOf('')).toEqual([]);
    expect(fieldsOf('a,')).toEqual([['a', '']]);
    expect(fieldsOf(',\n')).toEqual([['', '']]);
    expect(fieldsOf('"a"')).toEqual([['a']]);
  });

  it('passes over blank lines, but not over a quoted nothing', () => {
    expect(fieldsOf('\n\na\n\r\n\n""\n')).toEqual([['a'], ['']]);
  });

  it('takes a quote that does not start a field as it is', () => {
    expect(fieldsOf('5" disk,a"b"\n')).toEqual([['5" disk', 'a"b"']]);
  });

  it('tells the line a row starts at, counting the lines inside quotes', () => {
    const text = 'a\n\n"two\nlines"\r\n"three\r\n\nlines",x\rlast\n';
    for (const piece of [1, 5, 1e9]) expect(rowsOf(text, piece).map(({ line }) => line)).toEqual([1, 3, 5, 8]);
  });

  it('takes another delimiter and quote, or no quotes at all', () => {
    expect(fieldsOf(`'a;''b';"c"\n`, 1e9, ';', `'`)).toEqual([[`a;'b`, '"c"']]);
    expect(fieldsOf('"a\t"b"\n', 1e9, '\t', '')).toEqual([['"a', '"b"']]);
  });

  it('holds rows longer than its window', () => {
    const long = 'x,"\n'.repeat(200_000).replaceAll('"', '""');
    expect(fieldsOf(`1,"${long}",2\n3,4,5\n`)).toEqual([
      ['1', long.replaceAll('""', '"'), '2'],
      ['3', '4', '5'],
    ]);
    const wide = Array.from({ length: 3000 }, (_, i) => `${i}`);
    expect(fieldsOf(`${wide.join(',')}\n`, 1000)).toEqual([wide]);
  });

  it('passes over a byte order mark, and tells of UTF-16', () => {
    expect(fieldsOf('\ufeff"a",b\n')).toEqual([['a', 'b']]);
    expect(failureOf(() => rowsOf(Buffer.from('\ufeffa,b\n', 'utf16le')))).toMatch(
      /^VENTURI_BAD_RECORD a\.csv is UTF-16 /,
    );
  });

  it('says which line has a quote that is not closed, or text after one that is', () => {
    const open = 'a,b\n\n1,"open\nand\non';
    const after = 'a,b\n1,"closed" x\n2,3';
    for (const piece of [1, 4, 1e9]) {
      expect(failureOf(() => rowsOf(open, piece))).toMatch(
        /^VENTURI_BAD_RECORD a\.csv:3 opens a quote \("\) that is not closed/,
      );
      expect(failureOf(() => rowsOf(after, piece))).toMatch(
        /^VENTURI_BAD_RECORD a\.csv:2 has text after a closing quote/,
      );
    }
  });

  it('gives up on a row before it has read all of a large file', () => {
    const text = Buffer.alloc(40 * 1024 * 1024, 'a,b\n');
    text.write('"', 0);
    const window = windowOn(text);
    const scanner = new CsvScanner(window, { delimiter: 44, quote: 34 });
    expect(failureOf(() => scanner.next())).toMatch(/test\.bin:1 starts a row of more than 16 MiB/);
    expect(window.file.remaining).toBeGreaterThan(0);
  });
});
