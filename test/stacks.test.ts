import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { torchNeeded, torchPython } from './fixtures/python.ts';
import { PATIENCE } from './fixtures/torch-workshop.ts';
import { Workshop } from './fixtures/workshop.ts';

const STACKS = fileURLToPath(new URL('./fixtures/stacks.py', import.meta.url));
const lineOf = (mark: string): number =>
  readFileSync(STACKS, 'utf8')
    .split('\n')
    .findIndex(line => line.includes(mark)) + 1;

/** Two of the three looks that `stacks.py` waits for at each line: the first may have come a line before. */
const CERTAIN = 2;

let workshop: Workshop;
beforeAll(() => {
  workshop = new Workshop();
});
afterAll(() => workshop.remove());

describe.skipIf(torchPython === undefined)(`record --stacks${torchNeeded}`, { timeout: PATIENCE }, () => {
  it('gives a slow line inside an opaque operator its name, in workers and without', async () => {
    const python = torchPython ?? '';
    const [before, after] = await Promise.all([
      workshop.start(python, [STACKS]).finished,
      workshop.venturi('record', '--no-costs', '--out', 'stacks', '--stacks', '--', python, STACKS),
    ]);
    expect(before.code, before.stderr).toBe(0);
    expect(after, after.stderr).toMatchObject({ code: 0, stdout: before.stdout });
    expect(after.stderr).not.toContain('recording stopped');
    const { samples, problems } = await workshop.info('stacks');
    expect(problems).toEqual([]);
    expect(samples).toMatchObject({ profiler: 'stacks', events: ['wall-clock'] });
    const hits = (operator: string, symbol: string, mark: string): number =>
      samples?.operators
        .find(row => row.operator === operator)
        ?.symbols.filter(row => row.module.endsWith(`stacks.py:${lineOf(mark)}`) && symbol.endsWith(row.symbol))
        .reduce((sum, row) => sum + row.hits, 0) ?? 0;
    // Three passes over eight elements in two batches.
    expect(hits('Volumes.__getitem__', 'Volumes.__getitem__', 'line of an element')).toBeGreaterThanOrEqual(
      3 * 8 * CERTAIN,
    );
    expect(hits('stacked', 'stacked', 'line of a batch')).toBeGreaterThanOrEqual(3 * 2 * CERTAIN);
    const [shown, diagnosed] = await Promise.all([
      workshop.venturi('info', 'stacks'),
      workshop.venturi('diagnose', 'stacks'),
    ]);
    expect(shown.stdout).toMatch(/^Slowest lines/m);
    expect(shown.stdout).toContain(`stacks.py:${lineOf('line of an element')}`);
    expect(diagnosed.stdout).toMatch(/^Slowest lines inside the operators/m);
  });

  it('is not to be had beside perf', async () => {
    const { code, stderr } = await workshop.venturi('record', '--stacks', '--perf', '--', 'true');
    expect(code).toBe(2);
    expect(stderr).toContain('VENTURI_USAGE');
    expect(stderr).toContain('Record twice');
  });
});
