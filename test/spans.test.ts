import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kindText } from '../src/model/kind.ts';
import { anyPython, PROBE, triedTorches } from './fixtures/python.ts';
import { PATIENCE } from './fixtures/torch-workshop.ts';
import { Workshop } from './fixtures/workshop.ts';

const read = (path: string): string => readFileSync(fileURLToPath(new URL(path, import.meta.url)), 'utf8');

let workshop: Workshop;
beforeAll(() => {
  workshop = new Workshop();
});
afterAll(() => workshop.remove());

/** How often each span was seen for one element of `spans.py`. */
const PER_ELEMENT = {
  'span(outer)': 1,
  'span(inner)': 2,
  'span(double)': 1,
  'span(recurse)': 3,
  'span(steps)': 4,
  'span(fetch)': 1,
  'span(refuse)': 1,
  'span(first)': 1,
  'span(in first)': 1,
};

for (const { name: torch, python } of triedTorches) {
  describe.skipIf(python === undefined)(`spans of a user's own on ${torch}`, { timeout: PATIENCE }, () => {
    it('are operators where it is recorded, by the lines of the guide, and nothing where it is not', async () => {
      const guide = /```python\n(try:\n {4}from venturi_probe import span[\s\S]*?)```/.exec(read('../docs/pytorch.md'));
      const script = workshop.write('spanned.py', `${guide?.[1]}\n${read('./fixtures/spans.py')}`);
      const run = torch.replaceAll(' ', '-');
      const [before, after] = await Promise.all([
        workshop.start(python ?? '', [script]).finished,
        workshop.venturi('record', '--no-costs', '--out', run, '--', python ?? '', script),
      ]);
      expect(before.code, before.stderr).toBe(0);
      expect(after, after.stderr).toMatchObject({ code: 0, stdout: before.stdout });
      expect(after.stderr).not.toContain('recording stopped');
      const { batches, problems } = await workshop.info(run);
      expect(problems).toEqual([]);
      const spans = (batches?.loaders ?? []).map(({ name, operators }) => [
        name,
        Object.fromEntries(
          operators.filter(({ kind }) => kindText(kind) === 'span').map(row => [row.operator, row.timed]),
        ),
      ]);
      const numbers = Object.fromEntries(Object.entries(PER_ELEMENT).map(([name, times]) => [name, 12 * times]));
      expect(Object.fromEntries(spans)).toEqual({
        inline: { ...numbers, 'span(stack)': 3 },
        worked: { ...numbers, 'span(stack)': 3 },
        stream: { 'span(one of it)': 24 },
      });
      const { location } = batches?.loaders[0]?.operators.find(row => row.operator === 'span(outer)') ?? {};
      const line = read('./fixtures/spans.py').split('\n').indexOf('        with span("outer"):') + 1;
      const shift = guide?.[1]?.split('\n').length ?? 0;
      expect(location?.split('/').at(-1)).toBe(`${script}:${line + shift}`);
    });
  });
}

describe.skipIf(anyPython === undefined)('an operator that is known when it has ended', () => {
  it('lies in the events of its batch as if it had been written from its beginning', async () => {
    const script = fileURLToPath(new URL('./fixtures/probe_nesting.py', import.meta.url));
    const { stdout, stderr } = await workshop.start(anyPython ?? '', [script], { env: { PYTHONPATH: PROBE } }).finished;
    expect(stdout, stderr).toBe('nested\n');
  });
});
