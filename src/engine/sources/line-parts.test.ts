import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { dividedSource } from '../compile/node.ts';
import { jsonl, lines } from './lines.ts';

const folder = mkdtempSync(join(tmpdir(), 'venturi-parts-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Everything its parts hold, and how many there are. */
function readInParts(path: string, of: typeof lines | typeof jsonl = lines): { parts: number; elements: unknown[] } {
  const source = dividedSource(of(path).node);
  const parts = [...(source?.parts() ?? [])];
  const elements = parts.flatMap(part => {
    const into: unknown[] = [];
    const reader = source?.read(part);
    while ((reader?.read(into, 100) ?? 0) > 0);
    reader?.close();
    return into;
  });
  return { parts: parts.length, elements };
}

test('the parts of a file hold its lines, each once and in order, wherever they are cut', () => {
  const path = join(folder, 'text.txt');
  // Now and then a line is longer than several parts, and ends of lines fall on ends of parts.
  const length = fc.oneof(
    { weight: 20, arbitrary: fc.nat(20_000) },
    { weight: 2, arbitrary: fc.constantFrom(262_142, 262_143, 262_144, 131_071, 700_000) },
    { weight: 2, arbitrary: fc.constant(0) },
  );
  const texts = fc.record({
    lengths: fc.array(length, { minLength: 30, maxLength: 120 }),
    ending: fc.constantFrom('\n', '\r\n'),
    last: fc.boolean(),
  });
  let several = 0;
  fc.assert(
    fc.property(texts, ({ lengths, ending, last }) => {
      const expected = lengths.map((count, at) => `${at}é`.repeat(Math.ceil(count / 4)).slice(0, count));
      writeFileSync(path, expected.join(ending) + (last && expected.length > 0 ? ending : ''));
      // Nothing behind the last line end is no line.
      const withoutLast = !last && expected.at(-1) === '' ? expected.slice(0, -1) : expected;
      const { parts, elements } = readInParts(path);
      if (parts > 1) several++;
      expect(elements.length).toBe(withoutLast.length);
      expect(elements).toEqual(withoutLast);
    }),
    { numRuns: 60 },
  );
  expect(several).toBeGreaterThan(20);
});

test('a line that is no JSON is told by its place in the file', () => {
  const path = join(folder, 'bad.jsonl');
  writeFileSync(path, `${'{"a":"0123456789"}\n'.repeat(30_000)}oops\n`);
  expect(() => readInParts(path, jsonl)).toThrow(/bad\.jsonl: a line behind byte \d+ is not JSON/);
});
