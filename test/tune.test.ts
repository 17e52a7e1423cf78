import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describePipeline, loadPipeline } from 'venturi/engine';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { PlanSchema, type WrittenPlan } from '../src/model/plan.ts';
import type { PipelineTuneResult } from '../src/workflow/index.ts';
import { deep, quick as it } from './fixtures/depth-tests.ts';
import { Workshop } from './fixtures/workshop.ts';

const shop = new Workshop();

const BUSY =
  'const busy = (x: number): number => { let y = x; for (let i = 0; i < 20000; i++) y = (y * 31 + i) % 9973; return y; };';

/** Work that sleeps: a plan that spares or divides it is faster on any machine, however busy. */
const NAP = `
  const cell = new Int32Array(new SharedArrayBuffer(4));
  const nap = (x: number): number => { Atomics.wait(cell, 0, 0, 3); return x; };`;

beforeAll(() => {
  shop.pipeline('work.ts', "range(p.n).map(busy, { name: 'busy' }).batch(4)", BUSY, '{ n: 1_000_000 }');
  const graph = (busy: string) =>
    `range(p.n).map(${busy}, { name: 'busy' }).map((x, { rng }) => x + rng.int(9), { name: 'random' }).batch(10)`;
  shop.pipeline('passes.ts', graph('busy'), BUSY, '{ n: 500 }');
  shop.pipeline(
    'sleeping.ts',
    `range(p.n)
      .map(nap, { name: 'nap' })
      .map(x => x + 1, { name: 'next' })
      .map((x, { rng }) => nap(x + rng.int(9)), { name: 'random' })
      .batch(10)`,
    NAP,
    '{ n: 200 }',
  );
  shop.pipeline(
    'mostly-in-order.ts',
    "range(p.n).map(busy, { name: 'busy' }).groupByLength(4, [3], x => [1, 2, 3, 4, 5].reduce((sum, i) => sum + busy(x + i), 0) % 5)",
    BUSY,
    '{ n: 1_000_000 }',
  );
  shop.pipeline('counting.ts', graph('x => busy(x) + calls++'), `${BUSY} let calls = 0;`, '{ n: 500 }');
  shop.pipeline('other.ts', "range(p.n).filter((x: number) => x > 0, { name: 'positive' })");
  shop.pipeline('nothing.ts', "range(p.n).filter((x: number) => x < 0, { name: 'none' })");
  shop.pipeline(
    'written.ts',
    `range(p.n)
      .map(busy, { name: 'busy' })
      .map(x => x + 1, { name: 'next' })
      .map((x, { rng, epoch, index }) => \`\${x} \${rng.int(1000)} \${epoch} \${index}\`, { name: 'random' })
      .repeat(3, { name: 'thrice' })
      .shuffle(10)
      .prefetch(5, { name: 'ahead' })
      .writeLines(p.out)`,
    BUSY,
    "{ n: 50, out: 'out.txt' }",
  );
});

afterAll(() => shop.remove());

const read = (name: string): string => readFileSync(shop.path(name), 'utf8');

describe('venturi tune', () => {
  it('records, plans, tries, and writes a plan that runs', async () => {
    const { code, stdout, stderr } = await shop.venturi(
      'tune',
      'work.ts',
      '--for',
      '1s',
      '--out',
      'work.json',
      '--page',
      'work.html',
      '--json',
    );
    expect([code, stderr]).toEqual([0, expect.stringContaining('recording the pipeline as it is')]);
    expect(stderr).toContain('page written to work.html; with paths and arguments');
    expect(read('work.html')).toContain('What was tried');
    const result: PipelineTuneResult = JSON.parse(stdout);
    expect(result).toMatchObject({ schemaVersion: 1, coresUsable: expect.any(Number) });
    expect(result.before.measured.estimate).toBeGreaterThan(0);
    const plan = PlanSchema.parse(JSON.parse(read('work.json')));
    expect(plan.pipeline.path).toBe('work.ts');
    const planned = await shop.venturi('run', 'work.ts', '--plan', 'work.json', '--param', 'n=100', '--json');
    expect(JSON.parse(planned.stdout)).toMatchObject({ status: 'completed', elements: 25 });
    // Other parameters: it may not be the best plan any more.
    expect(planned.stderr).toMatch(/other code or parameters/);
    expect(shop.leftovers()).toEqual([]);
  });

  it('answers a target that cannot be reached with the bound', async () => {
    const { code, stdout } = await shop.venturi(
      'tune',
      'work.ts',
      '--for',
      '1s',
      '--rounds',
      '1',
      '--target',
      '1000k/s',
    );
    expect(code).toBe(4);
    expect(stdout).toMatch(/No plan reaches 1\.00 M\/s: (at most|the most)/);
  });

  deep('keeps what is the same in every pass, if it is the same when it is made again', async () => {
    const args = ['--for', '1s', '--rounds', '1', '--epochs', '100', '--json'] as const;
    const kept = await shop.venturi('tune', 'passes.ts', ...args);
    const { tried, cold, problems }: PipelineTuneResult = JSON.parse(kept.stdout);
    expect(problems).toEqual([]);
    expect(tried[0]?.changes.map(({ action }) => action)).toContainEqual(
      expect.objectContaining({ kind: 'cache', operator: 'busy' }),
    );
    expect(cold ?? { paysAfter: 2 }).toMatchObject({ paysAfter: 2 });
    const other = await shop.venturi('tune', 'counting.ts', ...args);
    const refused: PipelineTuneResult = JSON.parse(other.stdout);
    expect(refused.problems).toEqual([
      {
        code: 'VENTURI_WARN_NOT_REPEATABLE',
        message: expect.stringMatching(/'busy' is not the same when it is made again/),
      },
    ]);
    expect(JSON.stringify([refused.plan.changes, refused.tried])).not.toContain('"cache"');
  });

  // What has to be in order leaves a plan little to gain: it comes close to the pipeline as it is.
  deep('measures the pipeline as it is again whenever it measures a plan again', async () => {
    const args = ['--for', '1s', '--rounds', '2', '--record', 'close', '--json'] as const;
    const { stdout } = await shop.venturi('tune', 'mostly-in-order.ts', ...args);
    const { before, tried }: PipelineTuneResult = JSON.parse(stdout);
    for (const { gained, measured } of tried) {
      expect(gained.estimate).toBeCloseTo(measured.estimate / before.measured.estimate, 6);
    }
    const recordings = readdirSync(shop.path('close'));
    const rounds = (name: RegExp) => new Set(recordings.flatMap(each => name.exec(each)?.[1] ?? []));
    expect(rounds(/as-it-is-again-(\d)/)).toEqual(rounds(/plan-\d-again-(\d)/));
  });

  it('keeps what it has measured when it is interrupted', async () => {
    const args = ['--for', '1s', '--rounds', '2', '--epochs', '100', '--out', 'first.json'] as const;
    const tuning = shop.startVenturi(['tune', 'sleeping.ts', ...args]);
    await tuning.says(/trying a plan.*(trying a plan|again, in turn)/s);
    tuning.child.kill('SIGINT');
    const { code, stdout } = await tuning.finished;
    expect([code, stdout]).toEqual([130, expect.stringContaining('Interrupted after 1 plan: another may be better.')]);
    expect(PlanSchema.parse(JSON.parse(read('first.json'))).changes).not.toEqual([]);
    expect(shop.leftovers()).toEqual([]);
  });

  it('says so where nothing comes out', async () => {
    const { code, stdout } = await shop.venturi('tune', 'nothing.ts', '--for', '1s', '--json');
    expect(code).toBe(3);
    expect(stdout).toMatch(/VENTURI_RUN_EMPTY/);
  });
});

describe('a plan', () => {
  /** A plan for `written.ts` with these changes. */
  const planned = (name: string, actions: WrittenPlan['changes'][number]['action'][], shape: string): string => {
    const plan: WrittenPlan = {
      schemaVersion: 1,
      pipeline: { path: 'written.ts', shape, fingerprint: 'any' },
      changes: actions.map(action => ({ action, reason: 'binds' })),
    };
    writeFileSync(shop.path(name), JSON.stringify(plan));
    return name;
  };

  const shapeOf = async (name: string): Promise<string> => {
    const { definition, dispose } = await loadPipeline(shop.path(name));
    const { shape } = describePipeline(definition);
    await dispose();
    return shape;
  };

  it('changes threads, buffers and caches, and no element', async () => {
    const shape = await shapeOf('written.ts');
    const plain = await shop.venturi('run', 'written.ts', '--param', 'out=plain.txt');
    const plan = planned(
      'written.json',
      [
        { kind: 'parallelism', operator: 'busy', to: 2 },
        { kind: 'cache', operator: 'next', limit: 1e6 },
        { kind: 'prefetch', operator: 'random', elements: 3 },
        { kind: 'remove', operator: 'ahead' },
      ],
      shape,
    );
    const tuned = await shop.record('written.ts', 'planned', '--param', 'out=tuned.txt', '--plan', plan);
    expect(plain.code).toBe(0);
    expect(read('tuned.txt')).toBe(read('plain.txt'));
    const busy = tuned.info.operators.find(({ id }) => id === 'busy');
    expect(busy).toMatchObject({ lanes: 2, elementsIn: 50 });
  });

  it('for another pipeline is refused, and so is one that would be seen', async () => {
    const shape = await shapeOf('written.ts');
    const plan = planned('misfit.json', [{ kind: 'parallelism', operator: 'busy', to: 2 }], shape);
    const misfit = await shop.venturi('run', 'other.ts', '--plan', plan, '--json');
    expect(misfit.code).toBe(2);
    expect(misfit.stdout).toMatch(/VENTURI_PLAN_OTHER_PIPELINE/);
    const unsound = planned('unsound.json', [{ kind: 'cache', operator: 'random', limit: 1e6 }], shape);
    const refused = await shop.venturi('run', 'written.ts', '--plan', unsound, '--json');
    expect(refused.stdout).toMatch(/VENTURI_PLAN_UNSOUND.*'random' is told its element's number/s);
  });

  it('that keeps what has become random since is found out', async () => {
    shop.pipeline('drawing.ts', "range(p.n).map(() => Math.random(), { name: 'draw' }).repeat(2)", '', '{ n: 10 }');
    const plan = planned(
      'drawing.json',
      [{ kind: 'cache', operator: 'draw', limit: 1e6 }],
      await shapeOf('drawing.ts'),
    );
    const { code, stderr } = await shop.venturi('run', 'drawing.ts', '--plan', plan);
    expect(code).toBe(0);
    expect(stderr).toMatch(/warning: The plan keeps what comes out of 'draw', but 'draw' drew random numbers/);
  });

  it.each([
    ['missing.json', undefined, /no such file/],
    ['text.json', 'hello', /not JSON/],
    ['wrong.json', '{"schemaVersion":1}', /pipeline/],
  ])('that cannot be read is called so: %s', async (name, text, why) => {
    if (text !== undefined) shop.write(name, text);
    const { code, stderr } = await shop.venturi('run', 'work.ts', '--plan', name, '--json');
    expect(code).toBe(2);
    expect(stderr).toMatch(/VENTURI_PLAN_UNREADABLE/);
    expect(stderr).toMatch(why);
  });

  it('stands beside another in a comparison', async () => {
    planned('one.json', [{ kind: 'parallelism', operator: 'busy', to: 2 }], 's');
    planned('two.json', [{ kind: 'parallelism', operator: 'busy', to: 3 }], 's');
    const { code, stdout } = await shop.venturi('compare', 'one.json', 'two.json');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^These plans differ in 1 of 1 operator/);
    expect(stdout).toMatch(/busy +parallelism 2 +parallelism 3/);
  });
});

describe('optimize', () => {
  const dist = (path: string): string => new URL(`../dist/${path}`, import.meta.url).href;
  const module = (factor: string): string => `
    import { pipeline, range } from '${dist('engine/index.js')}';
    export default pipeline(import.meta, { n: 20_000_000 }, ({ n }) => range(n).map(x => ${factor}, { name: 'twice' }).batch(10));
  `;
  const script = (alternatives: string): string => `
    import { optimize } from '${dist('workflow/index.js')}';
    import first from './first.mjs';
    import second from './second.mjs';
    import third from './third.mjs';
    const tuned = await optimize(first, { seconds: 1, rounds: 1, pickBest: [${alternatives}] });
    const elements = [];
    for await (const element of tuned.run({ params: { n: 20 } })) elements.push(element);
    console.log(JSON.stringify({ elements, before: tuned.tuning.before.measured.estimate }));
  `;

  beforeAll(() => {
    shop.write('first.mjs', module('2 * x'));
    shop.write('second.mjs', module('x + x'));
    shop.write('third.mjs', module('3 * x'));
  });

  it('gives back a pipeline with the same elements, the fastest of those that make them', async () => {
    shop.write('optimize.mjs', script('second'));
    const { code, stdout, stderr } = await shop.start(process.execPath, ['optimize.mjs']).finished;
    expect([code, stderr]).toEqual([0, '']);
    const { elements, before } = JSON.parse(stdout);
    expect(elements.flat()).toEqual(Array.from({ length: 20 }, (_, x) => 2 * x));
    expect(before).toBeGreaterThan(0);
  });

  it('refuses alternatives that do not mean the same', async () => {
    shop.write('refused.mjs', script('third'));
    const { code, stderr } = await shop.start(process.execPath, ['refused.mjs']).finished;
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/pickBest: alternative 1 gives other elements than the pipeline/);
  });
});
