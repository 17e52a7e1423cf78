import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Profile } from '../src/workflow/index.ts';
import { CLI, type Finished, Workshop } from './fixtures/workshop.ts';

let shop: Workshop;
beforeEach(() => {
  shop = new Workshop();
});
afterEach(() => shop.remove());

const mayRecord =
  spawnSync('perf', ['record', '-q', '-e', 'cpu-clock', '-o', '/dev/null', '--', 'true'], { stdio: 'ignore' })
    .status === 0;
const missing = mayRecord ? '' : ' (skipped: no perf here)';

/** One operator computes in generated code, one in V8's own functions; both run in several lanes, the second also in a loop of its own. */
const GRAPH = `range(p.n)
    .map(x => { let y = x | 0; for (let k = 0; k < 30000; k++) y = (Math.imul(y, 31) + k) | 0; return y; }, { name: 'mix', parallelism: 2 })
    .batch(2, { name: 'twos', parallelism: 1 })
    .map(all => all.map(y => new Uint8Array(400000).fill(y).length), { name: 'fill', parallelism: 2 })`;

const profile = async (...args: string[]): Promise<Finished> => shop.venturi('profile', ...args);

describe.skipIf(!mayRecord)(`perf beside V8's profiler${missing}`, () => {
  it('leads addresses in compiled code to operators in every lane, and native functions to who called them', async () => {
    const pipeline = shop.pipeline('native.mjs', GRAPH, '', '{ n: 20000 }');
    const { code, stdout, stderr } = await profile(pipeline, '--perf', '--record', 'native', '--json');
    expect(code, stderr).toBe(0);
    expect(stderr).not.toContain('warning');
    const { perf, operators }: Profile = JSON.parse(stdout);
    if (perf === undefined) throw new Error('no perf');
    expect(perf.events).toEqual(['cpu-clock']);
    expect(perf.frequency).toBe(999);
    const shareOf = (name: string): number => perf.rows.find(row => row.name === name)?.shares[0] ?? 0;
    const byV8 = (name: string): number => operators.find(({ id }) => id === name)?.share ?? 0;
    // Far apart, however busy the machine is.
    for (const name of ['mix', 'fill']) {
      expect(byV8(name), name).toBeGreaterThan(0.02);
      expect(shareOf(name), name).toBeGreaterThan(byV8(name) / 2);
    }
    expect(perf.rows.reduce((sum, { shares }) => sum + (shares[0] ?? 0), 0)).toBeCloseTo(1);
    const { checked, agreeing } = perf.position;
    expect(checked).toBeGreaterThan(0);
    expect(agreeing).toBe(checked);
    const inFill = perf.native.filter(({ callers }) => callers[0]?.name === 'fill');
    expect(inFill.length).toBeGreaterThan(0);
    expect(perf.rows.find(({ name }) => name === 'fill')?.nativeShare).toBeGreaterThan(0);
    expect(perf.hottest.length).toBeGreaterThan(0);
    // Nothing of perf's own is left, neither in the run nor in the folder at hand.
    expect(readdirSync(shop.path('native.venturi/profile')).filter(name => name.startsWith('perf'))).toEqual([
      'perf.jsonl',
    ]);
    expect(readdirSync(shop.folder).filter(name => /^jit-|perf/.test(name))).toEqual([]);
    const again = await profile('native', '--level', 'line');
    for (const text of ['By perf', 'Native functions', 'Hottest lines by perf', 'Basic blocks'])
      expect(again.stdout).toContain(text);
  });

  it('sees the code of queries, in lanes that each run their own', async () => {
    const head = `import { col, Query, scan, sum, table } from 'venturi/relational';
    const numbers = Int32Array.from({ length: 200000 }, (_, at) => at % 1000);
    const query = new Query(scan(table('numbers', { n: numbers })).filter(col('n').gt(9)).groupBy(['n'], { all: sum(col('n').times(2)) }, { name: 'by number' }), { name: 'sums' });`;
    const graph = "range(p.n).map(() => query.columns().rows, { name: 'ask', parallelism: 2 })";
    const pipeline = shop.pipeline('query.mjs', graph, head, '{ n: 400 }');
    const { code, stdout, stderr } = await profile(pipeline, '--perf', '--record', 'query', '--json');
    expect(code, stderr).toBe(0);
    const { perf }: Profile = JSON.parse(stdout);
    const grouped = perf?.rows.find(({ name }) => name === 'sums: by number');
    expect(grouped?.shares[0]).toBeGreaterThan(0.2);
    expect(perf?.position.checked).toBeGreaterThan(0);
    expect(perf?.position.agreeing).toBe(perf?.position.checked);
  });

  it('takes the clock where an event does not exist, and says so', async () => {
    const pipeline = shop.pipeline('events.mjs', GRAPH, '', '{ n: 500 }');
    const { code, stdout, stderr } = await profile(
      ...[pipeline, '--perf', '--perf-events', 'no-such-event', '--record', 'events', '--json'],
    );
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('no-such-event cannot be sampled here');
    expect(JSON.parse(stdout).perf.events).toEqual(['cpu-clock']);
  });
});

it('a run goes on without perf, and says what to install', async () => {
  const pipeline = shop.pipeline('without.mjs', GRAPH, '', '{ n: 500 }');
  const args = [CLI, 'profile', pipeline, '--perf', '--record', 'without', '--json'];
  const { code, stdout, stderr } = await shop.start(process.execPath, args, { env: { PATH: shop.temporary } }).finished;
  expect(code, stderr).toBe(0);
  expect(stderr).toContain('perf is not on PATH. Install linux-perf');
  const { perf, samples }: Profile = JSON.parse(stdout);
  expect([perf, samples > 0]).toEqual([undefined, true]);
});

it('--perf is refused where it can say nothing', async () => {
  const pipeline = shop.pipeline('refused.mjs', GRAPH);
  for (const [args, words] of [
    [[pipeline, '--perf', '--inline'], '--perf needs threads that start after it'],
    [[pipeline, '--perf-events', 'cycles'], '--perf-events says what --perf samples'],
    [['without', '--perf'], '--perf cannot change without'],
  ] as const) {
    const { code, stderr } = await profile(...args);
    expect([code, stderr.includes(words)], stderr).toEqual([2, true]);
  }
});
