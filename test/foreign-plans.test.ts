import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { loadPlan } from 'venturi';
import { applyPlan, describePipeline } from 'venturi/engine';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { VenturiError } from '../src/model/errors.ts';
import type { Action, WrittenPlan } from '../src/model/plan.ts';
import shouted from './fixtures/shouted.ts';
import { type Finished, Workshop } from './fixtures/workshop.ts';

const shop = new Workshop();
const { shape, fingerprint } = describePipeline(shouted);
const PIPELINE = new URL('./fixtures/shouted.ts', import.meta.url).pathname;

afterAll(() => shop.remove());

const planOf = (...actions: readonly Action[]): WrittenPlan => ({
  schemaVersion: 1,
  pipeline: { path: 'shouted.ts', shape, fingerprint },
  changes: actions.map(action => ({ action, reason: 'binds' })),
});

async function run(plan: WrittenPlan, ...args: string[]): Promise<Finished> {
  shop.write('plan.json', JSON.stringify(plan));
  return shop.venturi('run', PIPELINE, '--plan', 'plan.json', ...args);
}

const cacheIn = (folder: string): Action => ({ kind: 'cache', operator: 'shout', limit: 1e6, folder });
const threads = (to: number): Action => ({ kind: 'parallelism', operator: 'shout', to });

describe('a plan of somebody else keeps elements on disk only where it may', () => {
  beforeAll(() => {
    mkdirSync(shop.path('allowed'));
    symlinkSync(shop.folder, shop.path('allowed/up'));
  });

  it.each([
    ['nowhere, unless told', 'astray', [], 'where no folder for caches is allowed'],
    ['nowhere else', 'astray', ['--cache-folder', 'allowed'], 'which is not below allowed'],
    ['nor by ..', 'allowed/../astray', ['--cache-folder', 'allowed'], 'which is not below allowed'],
    ['nor by a link', 'allowed/up/astray', ['--cache-folder', 'allowed'], 'which is not below allowed'],
  ])('%s', async (_, folder, args, why) => {
    const { code, stderr } = await run(planOf(cacheIn(folder)), ...args);
    expect(stderr).toContain(
      `VENTURI_PLAN_REFUSED: the plan asks for more than it may: a cache of 'shout' in ${folder}, ${why}`,
    );
    expect(stderr).toMatch(/→ .*--cache-folder/);
    expect(code).toBe(2);
    expect(existsSync(shop.path('astray'))).toBe(false);
  });

  it('at or below the folder that was given', async () => {
    for (const folder of ['allowed', shop.path('allowed/deep/er')]) {
      expect(await run(planOf(cacheIn(folder)), '--cache-folder', 'allowed')).toMatchObject({ code: 0 });
    }
    expect(existsSync(shop.path('allowed/deep/er'))).toBe(true);
  });
});

/** What a run with this plan fails with, before it starts a thread. */
function refusal(plan: WrittenPlan, limits: Parameters<typeof applyPlan>[2] = {}): VenturiError {
  try {
    applyPlan(shouted, plan, limits).run();
  } catch (error) {
    return error as VenturiError;
  }
  return expect.fail('it was taken');
}

describe('a plan of somebody else asks for no more than the machine bears', () => {
  it('of threads, on the command line and in programs', async () => {
    const { code, stderr } = await run(planOf(threads(100_000)));
    expect(stderr).toMatch(
      /VENTURI_PLAN_REFUSED: .*: 100000 threads for 'shout', where \d+ are allowed\n→ .*--max-lanes/,
    );
    expect(code).toBe(2);
    expect(refusal(planOf(threads(500)), { lanes: 64 }).message).toContain(
      "500 threads for 'shout', where 64 are allowed",
    );
    expect(await run(planOf(threads(3)), '--max-lanes', '3')).toMatchObject({ code: 2 });
    expect(await run(planOf(threads(3)), '--max-lanes', '4')).toMatchObject({ code: 0 });
  });

  it('of threads that are few each, and many together', () => {
    const buffers = Array.from({ length: 9 }, (): Action => ({ kind: 'prefetch', operator: 'shout', elements: 10 }));
    const error = refusal(planOf(threads(2), ...buffers), { lanes: 8 });
    expect(error.code).toBe('VENTURI_PLAN_REFUSED');
    expect(error.message).toMatch(
      /\d+ threads in place of 1 \(parallelism of 'shout', prefetch of 'shout', .*, where 8 are/,
    );
  });

  it('but may leave as many as there are', async () => {
    const own = applyPlan(shouted, planOf({ kind: 'concurrency', operator: 'wait', to: 2 }), { lanes: 1 });
    expect(await own.run().drain()).toMatchObject({ status: 'completed' });
  });

  it('of anything, and is told all that is refused', () => {
    const error = refusal(
      planOf(
        cacheIn('/etc/x'),
        { kind: 'parallelism', operator: 'wait', to: 2 ** 40 },
        { kind: 'divide', operator: 'numbers', parallelism: 1e6 },
        { kind: 'concurrency', operator: 'wait', to: 1e6 },
        { kind: 'prefetch', operator: 'shout', elements: 1e15 },
        { kind: 'prefetch', operator: 'wait', elements: 10, slots: 1e9 },
        { kind: 'cache', operator: 'shout', limit: 2 ** 52 },
      ),
    );
    expect(error.code).toBe('VENTURI_PLAN_REFUSED');
    for (const part of [
      "a cache of 'shout' in /etc/x",
      "1099511627776 threads for 'wait'",
      "1000000 threads for 'numbers'",
      "1000000 calls at once for 'wait'",
      "1000000000000000 buffered elements for 'shout'",
      "1000000000 slots for 'wait'",
      "caches of 4503599627370496 bytes in memory (cache of 'shout')",
    ]) {
      expect(error.message).toContain(part);
    }
    expect(error.remedy).toContain('applyPlan');
  });
});

describe('a file that is no sensible plan is refused', () => {
  const text = (changes: string): string => JSON.stringify(planOf()).replace('"changes":[]', `"changes":[${changes}]`);
  const change = (to: string): string =>
    `{"action":{"kind":"parallelism","operator":"shout","to":${to}},"reason":"binds"}`;

  it.each([
    ['a number beyond all others', text(change('1e308'))],
    ['a number below all', text(change('-1'))],
    ['a fraction', text(change('1.5'))],
    ['no number', text(change('NaN'))],
    ['a million changes', text(Array.from({ length: 100_000 }, () => change('2')).join())],
    ['nests without end', '['.repeat(1e6)],
    ['deep nests', `${'['.repeat(1e5)}${']'.repeat(1e5)}`],
    ['a prototype', '{"__proto__":{"schemaVersion":1,"changes":[]}}'],
  ])('%s', (_, plan) => {
    shop.write('odd.json', plan);
    try {
      loadPlan(shop.path('odd.json'));
    } catch (error) {
      expect(error).toMatchObject({ code: 'VENTURI_PLAN_UNREADABLE', remedy: expect.any(String) });
      expect((error as Error).message.length).toBeLessThan(1000);
      return;
    }
    expect.fail('it was read');
  });

  it('and so are names from elsewhere in it', async () => {
    const { code, stderr } = await run(planOf({ kind: 'parallelism', operator: '__proto__', to: 2 }));
    expect(stderr).toMatch(/VENTURI_PLAN_OTHER_PIPELINE: .*'__proto__'/);
    expect(code).toBe(2);
  });

  it('the published schema has the same bound', () => {
    const schema = JSON.parse(readFileSync(new URL('../dist/schema/plan.json', import.meta.url), 'utf8'));
    expect(schema.properties.changes.maxItems).toBe(1000);
  });
});
