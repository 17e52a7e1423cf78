import {
  compareRuns,
  type Diagnosis,
  diagnose,
  diagnoseFleet,
  type PipelineDiagnosis,
  predict,
  runInfo,
} from 'venturi';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunResult } from '../src/workflow/index.ts';
import { Workshop } from './fixtures/workshop.ts';

const shop = new Workshop();
const N = 100_000;

/** Two sinks, or one and what is left for the consumer, behind what they share. */
const twoWays = (one: string, other: string): string =>
  `import { defineOperator, merge, pipeline, range } from 'venturi/engine';
   const count = defineOperator<{ x: number }, never>({ kind: 'count', sink: true, open: () => ({ element: () => [] }) });
   export default pipeline(import.meta, { n: ${N} }, ({ n }) => {
     const squares = range(n).map(x => ({ x, square: x * x }), { name: 'square' });
     const tenth = squares.filter(({ x }) => x % 10 === 0, { name: 'tenth' });
     return merge([${one}, ${other}]);
   });`;

const PIPELINES = {
  file: `import { pipeline, range } from 'venturi/engine';
    export default pipeline(import.meta, { n: ${N} }, ({ n }) =>
      range(n).map(x => ({ x, square: x * x }), { name: 'square' }).writeJsonl('file.jsonl', { name: 'file' }));`,
  rows: `import { csv, pipeline } from 'venturi/engine';
    export default pipeline(import.meta, {}, () =>
      csv<{ id: string }>('rows.csv').filter(({ id }) => Number(id) % 2 === 0, { name: 'even' }).forEach(() => undefined, { name: 'store' }));`,
  sinks: twoWays("squares.writeJsonl('all.jsonl', { name: 'all' })", "tenth.apply(count, { name: 'counted' })"),
  beside: twoWays(
    "squares.map(({ x }) => x).batch(100, { name: 'batch' })",
    "tenth.writeJsonl('t.jsonl', { name: 'file' })",
  ),
};

beforeAll(async () => {
  shop.write('rows.csv', `id,name\n${Array.from({ length: 50_000 }, (_, id) => `${id},name ${id}\n`).join('')}`);
  for (const [name, text] of Object.entries(PIPELINES)) {
    shop.write(`${name}.ts`, text);
    await shop.venturi('run', `${name}.ts`, '--record', `runs/${name}`, '--epochs', '3');
  }
}, 120_000);

afterAll(() => shop.remove());

const recording = (name: string): string => shop.path(`${name}.venturi`);

const into = (operator: string) => ({ operator, counted: 'elementsIn' });
const outOf = (operator: string) => ({ operator, counted: 'elementsOut' });

describe('a pipeline that ends in sinks', () => {
  it.each([
    ['file', 3 * N, [into('file')], 'into file'],
    ['rows', 75_000, [into('store')], 'into store'],
    ['sinks', 3.3 * N, [into('all'), into('counted')], 'into 2 sinks'],
    ['beside', 0.33 * N, [outOf('epochs'), into('file')], 'to the consumer and into file'],
  ])('%s is judged by the %i elements that came to an end', async (name, elements, ends, words) => {
    const diagnosis = await diagnose(recording(`runs/${name}`));
    expect(diagnosis.rate.estimate).toBeGreaterThan(0);
    expect(diagnosis.ends).toEqual(ends);
    expect(diagnosis.root).toBe(ends.length === 1 ? ends[0]?.operator : undefined);
    expect((await runInfo(recording(`runs/${name}`))).totals).toMatchObject({ elements, ends });
    expect((await shop.venturi('info', `runs/${name}`)).stdout.replaceAll('\n', ' ')).toMatch(
      new RegExp(`elements ${words} in `),
    );
    const { stdout } = await shop.venturi('diagnose', `runs/${name}`);
    expect(stdout).not.toMatch(/No element left the pipeline/);
    expect(stdout.replaceAll('\n', ' ')).toContain(`elements/s ${words}`);
    // Nobody waits for what ends in sinks.
    expect(diagnosis.consumer === undefined).toBe(ends.every(({ counted }) => counted === 'elementsIn'));
  });

  it('has visits by what comes to an end', async () => {
    const { operators } = await diagnose(recording('runs/rows'));
    expect(operators.map(({ id, visitRatio }) => [id, Math.round(10 * visitRatio) / 10])).toEqual([
      ['csv', 2],
      ['even', 1],
      ['store', 1],
      ['epochs', 0],
    ]);
  });

  it('is run with its elements counted where they end', async () => {
    const { stdout } = await shop.venturi('run', 'sinks.ts', '--json');
    const result: RunResult = JSON.parse(stdout);
    expect(result).toMatchObject({
      elements: 110_000,
      ends: [
        { ...into('all'), elements: N },
        { ...into('counted'), elements: N / 10 },
      ],
    });
    const { stderr } = await shop.venturi('run', 'beside.ts');
    expect(stderr).toMatch(/completed: 11\.0 k elements to the consumer and into file/);
  });

  it('is counted at one of them, or anywhere, where --root says so', async () => {
    const { ends, rate, operators } = await diagnose(recording('runs/sinks'), { root: 'counted' });
    expect(ends).toEqual([into('counted')]);
    expect(rate.estimate).toBeGreaterThan(0);
    expect(operators.find(({ id }) => id === 'tenth')?.visitRatio).toBeCloseTo(1, 1);
    const predicted = await predict(recording('runs/sinks'), { root: 'square' });
    expect(predicted.ends).toEqual([outOf('square')]);
    const { stdout } = await shop.venturi('compare', 'runs/sinks', 'runs/sinks', '--root', 'square');
    expect(stdout).toMatch(/elements per second out of square/);
  });

  it('is forecast by what enters its sinks, and has no consumer whose step could be told', async () => {
    const { ends, ceiling } = await predict(recording('runs/file'));
    expect(ends).toEqual([into('file')]);
    expect(ceiling.rate.estimate).toBeGreaterThan(0);
    expect(ceiling.constraints.map(({ kind }) => kind)).not.toContain('consumer');
    expect((await shop.venturi('predict', 'runs/file')).stdout.replaceAll('\n', ' ')).toMatch(
      / this pipeline delivers at most \S+ (k|M)?\/s into file/,
    );
    const refused = await shop.venturi('predict', 'runs/file', '--step', '1ms');
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(/VENTURI_BAD_OPTION: .*end in sinks/)]);
  });

  it('is compared with its like, and not with another without a word', async () => {
    const alike = await compareRuns([recording('runs/file'), recording('runs/file')]);
    expect(alike.runs.map(({ ends }) => ends)).toEqual([[into('file')], [into('file')]]);
    expect(alike.cautions.filter(({ code }) => code === 'VENTURI_WARN_OTHER_ENDS')).toEqual([]);
    const { cautions } = await compareRuns([recording('runs/file'), recording('runs/sinks')]);
    expect(cautions).toContainEqual({
      code: 'VENTURI_WARN_OTHER_ENDS',
      message: 'sinks counts elements into 2 sinks, file elements into file: their rates are of different things.',
    });
  });

  it('stands in a folder of runs with what its rate counts, and waits for nobody', async () => {
    const { runs } = await diagnoseFleet(shop.path('runs'));
    const isMoving = (diagnosis: Diagnosis): boolean => (diagnosis as PipelineDiagnosis).rate.estimate > 0;
    expect(runs.map(run => 'diagnosis' in run && isMoving(run.diagnosis))).toEqual([true, true, true, true]);
    const { stdout } = await shop.venturi('diagnose', 'runs');
    expect(stdout).toMatch(/\/s into 2 sinks /);
  });
});
