import { readFileSync } from 'node:fs';
import { type GeneratedLines, ownerOfLine, parseGeneratedLines } from 'venturi/model';
import { foldRecords, openRun } from 'venturi/store';
import { afterAll, expect, it } from 'vitest';
import { Workshop } from './fixtures/workshop.ts';

const shop = new Workshop();
afterAll(() => shop.remove());

/** Every function writes down from which line of generated code it was called, by the stack. */
const SEEN = `
  const seen = (operator, element) => {
    const [, file, line] = /(venturi:[^\\s:()]+):(\\d+):\\d+/.exec(new Error().stack) ?? [];
    return { ...element, lines: [...(element.lines ?? []), { operator, file, line: Number(line) }] };
  };`;

const GRAPH = `range(p.n)
    .map(at => seen('first', { at }), { name: 'first' })
    .flatMap(element => [seen('twice', element), seen('twice', element)], { name: 'twice' })
    .map(element => seen('own threads', element), { name: 'own threads', parallelism: 2 })
    .map(async element => element, { name: 'awaited' })
    .map(element => seen('behind it', element), { name: 'behind it' })
    .batch(10, { name: 'tens' })
    .map(batch => batch.map(element => seen('batches', element)), { name: 'batches' })
    .unbatch()
    .writeJsonl(p.out, { name: 'file' })`;

interface Seen {
  readonly operator: string;
  readonly file: string;
  readonly line: number;
}

async function recorded(name: string, ...args: string[]): Promise<{ seen: Seen[]; loops: GeneratedLines[] }> {
  const pipeline = shop.pipeline(`${name}.mjs`, GRAPH, SEEN, "{ n: 2000, out: '' }");
  const ran = await shop.venturi('run', pipeline, '--param', `out=${name}.jsonl`, '--record', name, ...args);
  expect(ran.code, ran.stderr).toBe(0);
  const elements = readFileSync(shop.path(`${name}.jsonl`), 'utf8')
    .trimEnd()
    .split('\n');
  const seen = new Map<string, Seen>();
  for (const element of elements) {
    for (const line of (JSON.parse(element) as { lines: Seen[] }).lines) seen.set(JSON.stringify(line), line);
  }
  const records = openRun(shop.path(`${name}.venturi`)).records();
  await foldRecords(records, [{ block: () => undefined }]);
  const facts = records.subjects.filter(key => key.startsWith('facts:'));
  return {
    seen: [...seen.values()],
    loops: facts.flatMap(key => parseGeneratedLines(key.slice('facts:'.length)) ?? []),
  };
}

it.each([
  ['threads', []],
  ['inline', ['--inline']],
  ['secrecy', ['--redact']],
])('a run with %s names for every generated line the operator that was called from it', async (name, args) => {
  const { seen, loops } = await recorded(name, ...args);
  const operators = ['first', 'twice', 'own threads', 'behind it', 'batches'];
  // Each loop's body is there twice at least: the elements that are timed pass a copy of their own.
  for (const operator of operators) {
    expect(seen.filter(line => line.operator === operator).length, operator).toBeGreaterThan(1);
  }
  for (const { operator, file, line } of seen) {
    const loop = loops.find(each => each.file === file && each.operators.includes(operator));
    expect(loop && ownerOfLine(loop, line), `${file}:${line}`).toBe(operator);
  }
  expect(new Set(loops.flatMap(loop => loop.operators))).toEqual(
    new Set(['range', ...operators, 'tens', 'batches/unbatch', 'file']),
  );
  // No line has two owners.
  for (const { lines } of loops) {
    const ends = lines.flatMap(line => line.slice(0, 2));
    expect(ends).toEqual(ends.toSorted((a, b) => a - b));
  }
});
