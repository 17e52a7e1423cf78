import { afterAll, beforeAll, expect } from 'vitest';
import type { PipelineTuneResult } from '../src/workflow/index.ts';
import { deep, quick as it } from './fixtures/depth-tests.ts';
import { Workshop } from './fixtures/workshop.ts';

const shop = new Workshop();
afterAll(() => shop.remove());

const CODE = `
class Parsed { constructor(readonly x: number) {} half() { return this.x / 2; } }
const busy = (x: number): number => { let y = x; for (let i = 0; i < 20000; i++) y = (y * 31 + i) % 9973; return y; };
const cell = new Int32Array(new SharedArrayBuffer(4));
// Threads share work that sleeps on any machine, however busy.
const nap = (x: number): number => { Atomics.wait(cell, 0, 0, 3); return x; };`;

beforeAll(() => {
  shop.pipeline(
    'instances.ts',
    `range(p.n)
      .map(x => new Parsed(busy(x)), { name: 'parse' })
      .map(parsed => busy(parsed.half()), { name: 'use' })
      .map(x => (x < 0 ? new Parsed(x) : x) as number, { name: 'plain' })
      .map(busy, { name: 'work' })
      .batch(4)`,
    CODE,
    '{ n: 1_000_000 }',
  );
  // Too far down to be seen by those who look at some elements, and before what has to be in order: any thread more would send it on.
  shop.pipeline(
    'hidden.ts',
    `range(p.n)
      .map(x => ({ a: { b: { c: { d: { e: new Parsed(nap(x)) } } } } }), { name: 'parse' })
      .window(1)
      .map(([{ a }]) => nap(a.b.c.d.e.half()), { name: 'use' })
      .batch(4)`,
    CODE,
    '{ n: 1_000_000 }',
  );
});

deep('tries no plan that sends elements to another thread which cannot go there', async () => {
  const { code, stdout, stderr } = await shop.venturi(
    ...['tune', 'instances.ts', '--for', '1s', '--rounds', '1', '--json'],
  );
  expect([code, stderr.includes('VENTURI_')]).toEqual([0, false]);
  const result = JSON.parse(stdout) as PipelineTuneResult;
  expect(result.problems.filter(({ code }) => code === 'VENTURI_WARN_PLAN_NOT_RUN')).toEqual([]);
  const staying = result.cautions.filter(({ code }) => code === 'VENTURI_WARN_ELEMENTS_STAY');
  expect(staying.map(({ message }) => message)).toEqual([
    expect.stringContaining("What leaves 'parse' cannot go to another thread"),
  ]);
  for (const { graph } of result.tried) {
    const last = graph.stages.map(({ operators }) => operators.at(-1));
    expect(last).not.toContain('parse');
  }
});

it('learns from a plan that cannot be run what must stay in its thread, and says so', async () => {
  const { code, stdout } = await shop.venturi('tune', 'hidden.ts', '--for', '1s', '--rounds', '1', '--json');
  const { problems, tried } = JSON.parse(stdout) as PipelineTuneResult;
  expect(code).toBe(0);
  const refused = problems.flatMap(({ code: why, message }) => (why === 'VENTURI_WARN_PLAN_NOT_RUN' ? [message] : []));
  expect(refused.length).toBeGreaterThan(0);
  for (const problem of refused) expect(problem).toMatch(/what '(parse|parse\/window)' gives .* is of class Parsed/);
  expect(new Set(refused.map(problem => /what '(.+?)'/.exec(problem)?.[1])).size).toBe(refused.length);
  for (const { graph } of tried) {
    expect(graph.stages.map(({ operators }) => operators.at(-1))).not.toContain('parse');
  }
});
