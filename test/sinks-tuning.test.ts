import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from 'vitest';
import type { PipelineTuneResult } from '../src/workflow/index.ts';
import { deep, quick as it } from './fixtures/depth-tests.ts';
import { Workshop } from './fixtures/workshop.ts';

const shop = new Workshop();
const dist = (path: string): string => new URL(`../dist/${path}`, import.meta.url).href;

/** Writes a pipeline twice: for the command line, and for a program that imports it as plain Node would. */
function write(name: string, graph: string, head = ''): void {
  const text = (engine: string): string =>
    `import { appendFileSync } from 'node:fs';
     import { defineOperator, merge, pipeline, range } from '${engine}';
     ${head}
     export default pipeline(import.meta, { n: 100_000, out: 'out/file.jsonl' }, ({ n, out }) => ${graph});`;
  shop.write(`${name}.ts`, text('venturi/engine'));
  shop.write(`${name}.mjs`, text(dist('engine/index.js')));
}

beforeAll(() => {
  const square = "range(n).map(x => ({ x, square: x * x }), { name: 'square' })";
  write('file', `${square}.writeJsonl(out, { name: 'file' })`);
  write('other', square.replace('x * x', 'x + x').concat(".writeJsonl(out, { name: 'file' })"));
  write(
    'endless',
    "range(1e9).map(x => { if (x === 50_000) console.error('under way'); return { x }; }).writeJsonl(out)",
  );
  write(
    'sinks',
    `(() => {
      const squares = ${square};
      return merge([squares.writeJsonl(out, { name: 'file' }), squares.apply(count, { name: 'count' })]);
    })()`,
    "const count = defineOperator({ kind: 'count', sink: true, harmless: true, open: () => ({ element: () => [] }) });",
  );
  write('each', "range(n).forEach(x => { if (x % 1000 === 0) appendFileSync('seen.txt', '.'); }, { name: 'store' })");
});

afterAll(() => shop.remove());

const tune = (pipeline: string, ...args: string[]) =>
  shop.venturi('tune', `${pipeline}.ts`, '--for', '300ms', '--rounds', '1', ...args);

const seen = (): string[] => readdirSync(shop.folder).filter(name => name === 'seen.txt');

describe('trials of a pipeline that writes a file', () => {
  beforeEach(() => void shop.write('out/file.jsonl', 'before'));
  afterEach(() => {
    expect(readFileSync(shop.path('out/file.jsonl'), 'utf8')).toBe('before');
    expect(readdirSync(shop.path('out'))).toEqual(['file.jsonl']);
  });

  it('are measured by what enters it, and leave it as it was', async () => {
    const { code, stdout, stderr } = await tune('file', '--json');
    expect(code, stderr).toBe(0);
    const result: PipelineTuneResult = JSON.parse(stdout);
    expect(result.ends).toEqual([{ operator: 'file', counted: 'elementsIn' }]);
    expect(result.before.measured.estimate).toBeGreaterThan(0);
  });

  deep('count all sinks, or the operator that --root names', async () => {
    const all = await tune('sinks');
    expect([all.code, all.stdout.replaceAll('\n', ' ')]).toEqual([0, expect.stringContaining('/s into 2 sinks')]);
    const one = await tune('sinks', '--root', 'square', '--json');
    expect(one.code, one.stdout).toBe(0);
    expect(JSON.parse(one.stdout).ends).toEqual([{ operator: 'square', counted: 'elementsOut' }]);
    const nobody = await tune('sinks', '--root', 'nobody');
    expect([nobody.code, nobody.stderr]).toEqual([
      2,
      expect.stringMatching(/^error VENTURI_UNKNOWN_OPERATOR: .*'nobody'/),
    ]);
  });

  it.each([
    ['SIGINT', 130],
    ['SIGKILL', 137],
  ] as const)('leave nothing where they end by %s', async (signal, code) => {
    const started = shop.startVenturi(['tune', 'endless.ts']);
    await started.says(/under way/);
    started.child.kill(signal);
    expect((await started.finished).code).toBe(code);
  });
});

describe('trials of a pipeline with effects', () => {
  it('are refused, by the operator and the way to allow them, before anything has run', async () => {
    const { code, stderr } = await tune('each');
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error VENTURI_SIDE_EFFECTS: .*'store'.*\n→ .*--side-effects allow/);
    expect(seen()).toEqual([]);
    const wrong = await tune('each', '--side-effects', 'maybe');
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("'maybe' is neither allow nor refuse")]);
  });

  it('are made where they are allowed', async () => {
    const { code, stdout, stderr } = await tune('each', '--side-effects', 'allow', '--json');
    expect(code, stderr).toBe(0);
    const result: PipelineTuneResult = JSON.parse(stdout);
    expect(result.ends).toEqual([{ operator: 'store', counted: 'elementsIn' }]);
    expect(seen()).toEqual(['seen.txt']);
  });
});

describe('optimize', () => {
  const optimize = (call: string) => {
    shop.write(
      'optimize.mjs',
      `import { optimize } from '${dist('workflow/index.js')}';
       const of = async name => (await import('./' + name + '.mjs')).default;
       const tuned = await optimize(${call}).catch(error => ({ error }));
       console.log(JSON.stringify(tuned.error === undefined ? tuned.tuning.ends : [tuned.error.code, tuned.error.message]));`,
    );
    return shop.start(process.execPath, ['optimize.mjs']).finished;
  };
  const alternative = (name: string): string =>
    `await of('file'), { seconds: 0.3, rounds: 1, pickBest: [await of('${name}')] }`;

  it('compares what enters the sinks of alternatives', async () => {
    const other = await optimize(alternative('other'));
    expect(JSON.parse(other.stdout)).toEqual(['VENTURI_BAD_OPTION', expect.stringContaining('from element 1 on')]);
  });

  it('needs leave for effects, too', async () => {
    const refused = await optimize("await of('each'), { seconds: 0.3 }");
    expect(JSON.parse(refused.stdout)).toEqual(['VENTURI_SIDE_EFFECTS', expect.stringContaining("'store'")]);
  });
});
