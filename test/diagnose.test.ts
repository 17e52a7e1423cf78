import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { PipelineCostsSchema } from '../src/model/pipeline-costs.ts';
import type {
  CostsReport,
  DiskReport,
  Fleet,
  PipelineComparison,
  PipelineDiagnosis,
  Prediction,
} from '../src/workflow/index.ts';
import { deep, quick as it } from './fixtures/depth-tests.ts';
import { Workshop } from './fixtures/workshop.ts';

const shop = new Workshop();

const spin =
  'const spin = n => { let x = n; for (let i = 0; i < 2e5; i++) x = (x * 1103515245 + 12345) % 2147483648; return x; };';

beforeAll(async () => {
  shop.pipeline('slow.ts', "range(p.n).map(spin, { name: 'spin' }).batch(4)", spin, '{ n: 1200 }');
  shop.pipeline('none.ts', 'range(p.n).filter(() => false)');
  await shop.venturi('run', 'slow.ts', '--record', 'runs/slow');
  await shop.venturi('run', 'slow.ts', '--record', 'runs/again', '--set', 'spin.parallelism=2');
  await shop.venturi('run', 'none.ts', '--record', 'none');
}, 60_000);

afterAll(() => shop.remove());

async function json<T>(...args: string[]): Promise<T> {
  const { code, stdout, stderr } = await shop.venturi(...args, '--json');
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
}

describe('diagnose', () => {
  it('says what limits a run in line one, and what to type in line two', async () => {
    const { code, stdout } = await shop.venturi('diagnose', 'runs/slow');
    expect(code).toBe(0);
    // Whoever else uses the cores, spin fills its lane: it is the verdict or stands beside it.
    expect(stdout).toMatch(/spin limits this pipeline/);
    expect(stdout).toMatch(/\((hardware: the CPU is saturated|software: no resource is saturated)\)/);
    expect(stdout.split('\n').findIndex(line => line.startsWith('→'))).toBeLessThan(5);
  });

  it('advises to run it with what it was given besides', async () => {
    await shop.venturi(
      'run',
      'none.ts',
      '--memory',
      '64MiB',
      '--max-lanes',
      '3',
      '--cache-folder',
      'c',
      '--record',
      'given',
    );
    const given = ['--memory', '67108864B', '--cache-folder', 'c', '--max-lanes', '3'];
    expect((await shop.info('given')).manifest.command.slice(3)).toEqual(given);
  });

  it('gives the same as JSON, with its schema version', async () => {
    const diagnosis = await json<PipelineDiagnosis>('diagnose', 'runs/slow');
    expect(diagnosis.schemaVersion).toBe(1);
    expect([diagnosis.verdict, ...diagnosis.others].map(({ kind }) => kind)).toContain('cpu-bound');
    const spinning = diagnosis.operators.find(({ id }) => id === 'spin');
    expect(spinning?.visitRatio).toBeCloseTo(4, 0);
  });

  it('shows a folder of runs side by side', async () => {
    const { stdout } = await shop.venturi('diagnose', 'runs');
    expect(stdout).toMatch(/^\d of 2 runs wait for their input/);
    expect(stdout).toMatch(/^ {2}slow +\d/m);
    const fleet = await json<Fleet>('diagnose', 'runs');
    expect(fleet.runs).toHaveLength(2);
  });
});

describe('predict', () => {
  it('forecasts for other resources, and says what binds then', async () => {
    const prediction = await json<Prediction>('predict', 'runs/slow', '--cores', '16', '--step', '10s');
    expect(prediction.ceiling.binding?.kind).toBe('consumer');
    expect(prediction.ceiling.rate.estimate).toBeCloseTo(0.1, 6);
    expect(prediction.asRecorded.rate.estimate).toBeGreaterThan(prediction.measured.estimate * 0.9);
    // How long the consumer of a short run takes is not known well enough for every word: so it is told.
    const { stdout } = await shop.venturi('predict', 'runs/slow', '--cores', '64', '--step', '10s');
    expect(stdout).toMatch(/^With 64 cores, a consumer step of 10 s this pipeline delivers at most 0\.10\/s/);
  });
});

describe('compare', () => {
  it('puts runs side by side', async () => {
    const { runs, operators } = await json<PipelineComparison>('compare', 'runs/slow', 'runs/again');
    expect(runs.map(({ name }) => name)).toEqual(['slow', 'again']);
    expect(operators.find(({ id }) => id === 'spin')?.lanes).toEqual([1, 2]);
    const { stdout } = await shop.venturi('compare', 'runs/slow', 'runs/again');
    expect(stdout).toMatch(/^again is .* (than|as) slow/);
  });
});

describe('doctor --disk', () => {
  deep(
    'measures what a folder’s storage delivers and leaves nothing behind',
    async () => {
      shop.write('data/small.txt', 'x');
      const { disk } = await json<DiskReport>('doctor', '--disk', 'data');
      expect(disk.points.map(({ readers }) => readers)).toEqual([1, 2, 4, 8, 16]);
      expect(disk.bytes).toBeGreaterThan(0);
      expect(typeof disk.cold).toBe('boolean');
      expect(readdirSync(shop.path('data'))).toEqual(['small.txt']);
    },
    60_000,
  );

  it('writes what diagnose and predict can read', async () => {
    const disk = { points: [{ readers: 1, bytesPerSecond: 1e9 }], cold: true };
    shop.write('disk.json', JSON.stringify({ schemaVersion: 1, folder: 'data', disk }));
    expect((await shop.venturi('predict', 'runs/slow', '--disk', 'disk.json')).code).toBe(0);
  });
});

describe('doctor --costs', () => {
  it('measures what lanes cost, keeps it, and recordings from then on have it', async () => {
    const hostOf = async (name: string) => (await shop.info(name)).manifest.host;
    expect((await hostOf('runs/slow')).pipelineCosts).toBeUndefined();
    const { costs } = await json<CostsReport>('doctor', '--costs');
    expect(PipelineCostsSchema.parse(costs)).toEqual(costs);
    expect(costs.measured.rounds).toBeGreaterThan(1);
    const threads = costs.memory.map(point => point.threads);
    expect(threads[0]).toBe(1);
    expect(threads.at(-1)).toBe(Math.max(1, Math.min(32, Math.floor((await hostOf('runs/slow')).coresUsable))));
    expect(costs.compute.map(point => point.threads)).toEqual(threads);
    for (const { cpuNsPerElement, cpuNsPerByte } of [costs.send, costs.receive])
      expect(cpuNsPerElement.median + cpuNsPerByte.median).toBeGreaterThan(0);
    await shop.venturi('run', 'slow.ts', '--record', 'runs/costed', '--for', '1s');
    expect((await hostOf('runs/costed')).pipelineCosts).toEqual(costs);
  });

  it('refuses to measure two things at once', async () => {
    const { code, stderr } = await shop.venturi('doctor', '--costs', '--disk', 'data');
    expect(code).toBe(2);
    expect(stderr).toMatch(/--costs.*cannot be used with.*--disk/);
  });
});

describe('a run that says nothing', () => {
  it.each([
    ['diagnose', 'none', 0, /^No element left the pipeline in .*: there is nothing to judge by/],
    ['predict', 'none', 3, /VENTURI_RUN_EMPTY: No element left the pipeline .*\n→ Record a longer run/],
    ['diagnose', 'nowhere', 3, /VENTURI_RUN_NOT_FOUND/],
    ['predict', 'slow.ts', 3, /is a source file.*\n→ Record a run of it first: .*venturi predict first/],
    ['compare', 'runs/slow', 2, /VENTURI_USAGE: One run cannot be compared/],
  ])('%s %s', async (verb, run, expected, says) => {
    const { code, stdout, stderr } = await shop.venturi(verb, run);
    expect(code).toBe(expected);
    expect(expected === 0 ? stdout : stderr.replace(/^error /, '')).toMatch(says);
  });

  it('has no lanes any more', async () => {
    await shop.venturi('run', 'none.ts', '--record', 'bare');
    for (const lane of readdirSync(shop.path('bare.venturi/lanes')))
      rmSync(join(shop.path('bare.venturi/lanes'), lane));
    const { code, stderr } = await shop.venturi('diagnose', 'bare');
    expect(code).toBe(3);
    expect(stderr).toMatch(/VENTURI_RUN_EMPTY: Nothing was recorded in .*\n→ Record a run that lasts some seconds/);
  });

  it.each([
    [['predict', 'runs/slow', '--cores', '0'], /--cores: '0' is not a number above zero/],
    [['predict', 'runs/slow', '--disk', 'fast'], /--disk: 'fast' is not a bandwidth/],
    [['diagnose', 'runs/slow', '--disk', 'slow.json'], /--disk: slow.json holds no measurement/],
    [['diagnose', 'runs/slow', '--root', 'nobody'], /has no operator 'nobody'/],
    [['doctor', '--disk', 'nowhere'], /There is no folder nowhere/],
  ])('%j is refused', async (args, says) => {
    const { code, stderr } = await shop.venturi(...args);
    expect(code).toBe(2);
    expect(stderr).toMatch(says);
  });
});
