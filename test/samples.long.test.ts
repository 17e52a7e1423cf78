import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import type {
  FunctionMapping,
  LoaderSeries,
  ProgramDiagnosis,
  ProgramRecordResult,
  RunSampleReport,
} from '../src/workflow/index.ts';
import { anyPython, LOADERS, torchNeeded, torchPython, visionPython } from './fixtures/python.ts';
import { pause, Workshop } from './fixtures/workshop.ts';

const workshop = new Workshop();
afterAll(() => workshop.remove());

const mayRecord =
  spawnSync('perf', ['record', '-q', '-e', 'cpu-clock', '-o', '/dev/null', '--', 'true'], { stdio: 'ignore' })
    .status === 0;
const missing =
  visionPython === undefined ? ' (skipped: no Python with torchvision)' : mayRecord ? '' : ' (skipped: no perf here)';
const python = visionPython ?? '';
const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

async function samplesOf(run: string, ...options: string[]): Promise<RunSampleReport['samples']> {
  const { code, stdout, stderr } = await workshop.venturi('samples', run, '--json', ...options);
  expect(code, stderr).toBe(0);
  const report: RunSampleReport = JSON.parse(stdout);
  return report.samples;
}

describe.skipIf(missing !== '')(`samples beside a PyTorch program${missing}`, () => {
  it('lie in the operator whose native code they hit', { timeout: 240_000 }, async () => {
    const args = ['--images', '160', '--workers', '2', '--epochs', '2', '--folder', workshop.path('images')];
    const program = [python, path('../examples/pytorch/classify.py'), ...args];
    const { code, stdout, stderr } = await workshop.venturi(
      ...[
        'record',
        '--no-costs',
        '--perf',
        '--perf-frequency',
        '1999',
        '--out',
        'classify',
        '--json',
        '--',
        ...program,
      ],
    );
    expect(code, stderr).toBe(0);
    const result: ProgramRecordResult = JSON.parse(stdout);
    expect(result.warnings).toEqual([]);
    expect(result.samples).toBeGreaterThan(1000);
    expect(readdirSync(workshop.path('classify.venturi')).sort()).toEqual(['lanes', 'run.json', 'samples']);

    const samples = await samplesOf('classify');
    const rows = samples.operators.flatMap(({ operator, symbols }) => symbols.map(row => ({ operator, ...row })));
    const jpeg = rows.filter(({ module }) => /jpeg/.test(module));
    const decoding = jpeg.filter(({ operator }) => operator === 'decode');
    // Pillow destroys a decompressor again when `load` has returned and its frame goes: a few instructions of libjpeg that are in no decoding.
    const elsewhere = jpeg.filter(row => row.operator !== 'decode' && !row.symbol.startsWith('jpeg_destroy'));
    const resampling = rows.filter(({ symbol }) => /^_?ImagingResample/.test(symbol));
    expect(decoding.reduce((sum, { hits }) => sum + hits, 0)).toBeGreaterThan(50);
    expect(elsewhere).toEqual([]);
    expect(new Set(resampling.map(({ operator }) => operator))).toEqual(new Set(['RandomResizedCrop']));
    // While batches are prepared, nearly all of them: how much of a worker's time that is, its start and end decide.
    const inOperators = samples.operators.reduce((sum, { hits }) => sum + hits, 0);
    const inNone = samples.unattributed.filter(({ reason }) => reason === 'betweenOperators' || reason === 'untimed');
    expect(inNone.reduce((sum, { hits }) => sum + hits, 0)).toBeLessThan(inOperators / 10);
    expect(samples.inOperatorsOfWorkers).toBeGreaterThan(0);
    expect(samples.unattributed.reduce((sum, { hits }) => sum + hits, inOperators)).toBe(samples.hits);

    const whole = samples.hits;
    const [early, late] = [await samplesOf('classify', '--to', '3s'), await samplesOf('classify', '--from', '3s')];
    expect(early.hits + late.hits).toBe(whole);
    const table = workshop.write(
      'vtune.csv',
      'Function,CPU Time,Clockticks,CPI Rate,Module\n' +
        `${resampling[0]?.symbol},3s,900,0.5,${resampling[0]?.module}\nlaunch,1s,100,1,libcuda.so\n`,
    );
    const mapped = await workshop.venturi('map', 'classify', '--table', table, '--json');
    const mapping: FunctionMapping = JSON.parse(mapped.stdout);
    expect(mapping.table).toMatchObject({
      mapped: 0.9,
      operators: [{ operator: 'RandomResizedCrop', values: [3, 900, 0.5] }],
      unmapped: [{ symbol: 'launch', part: 0.1 }],
    });
    // Each of its executions was a run, and a millisecond's worth of samples passes quickly.
    expect(mapping.capture.find(({ operator }) => operator === 'decode')?.runs).toBeGreaterThan(100);

    const diagnosed: ProgramDiagnosis = JSON.parse((await workshop.venturi('diagnose', 'classify', '--json')).stdout);
    const inside = diagnosed.samples?.operators.find(({ operator }) => operator === 'RandomResizedCrop');
    expect(inside?.hits).toBe(samples.operators.find(({ operator }) => operator === 'RandomResizedCrop')?.hits);
    expect(inside?.symbols[0]?.symbol).toMatch(/ImagingResample/);
    expect(diagnosed.samples?.unattributed.length).toBe(samples.unattributed.length);
    expect((await workshop.venturi('diagnose', 'classify')).stdout).toMatch(
      /Where the CPU goes inside the operators[\s\S]*RandomResizedCrop .*ImagingResample[\s\S]*In no operator: /,
    );

    const shown = await workshop.venturi('info', 'classify');
    expect(shown.stdout).toMatch(/Samples {2}perf, 2\.00 k a second[\s\S]*Native code[\s\S]*Samples in no operator/);
  });
});

describe.skipIf(torchPython === undefined || !mayRecord)(
  `samples of a program that is interrupted${torchNeeded}`,
  () => {
    it('are kept, and its signal and exit code stay its own', { timeout: 120_000 }, async () => {
      const started = workshop.startVenturi([
        'record',
        '--no-costs',
        '--perf',
        '--out',
        'cut',
        '--',
        torchPython ?? '',
        LOADERS,
        'slow=0.3',
      ]);
      while (!/step 3/.test(started.stdout)) await pause(50);
      started.child.kill('SIGINT');
      const { code, stderr } = await started.finished;
      expect(code).toBe(130);
      expect(stderr).toContain('KeyboardInterrupt');
      expect((await samplesOf('cut')).hits).toBeGreaterThan(100);
      expect(workshop.processes()).toEqual([]);
    });
  },
);

describe.skipIf(torchPython === undefined)(`a series of recordings${torchNeeded}`, () => {
  it('is compared by elapsed time, CPU and operators', { timeout: 120_000 }, async () => {
    const recorded = ['1', '2'].map(workers => {
      const program = [torchPython ?? '', LOADERS, `workers=${workers}`];
      return workshop.venturi('record', '--no-costs', '--out', `workers-${workers}`, '--', ...program);
    });
    for (const { code, stderr } of await Promise.all(recorded)) expect(code, stderr).toBe(0);
    const { stdout } = await workshop.venturi('compare', 'workers-1', 'workers-2', '--json');
    const series: LoaderSeries = JSON.parse(stdout);
    expect(series.runs.map(({ workers }) => workers)).toEqual([1, 2]);
    for (const { elapsed, cpu, preparationCpu } of series.runs) {
      expect(elapsed).toBeGreaterThan(0);
      expect(cpu).toBeGreaterThan(preparationCpu ?? 0);
    }
    const [first] = series.runs;
    expect(first?.preparation.p75).toBeGreaterThanOrEqual(first?.preparation.p25 ?? 0);
    expect(first?.late.map(({ longerThan }) => longerThan)).toEqual([1e6, 1e7, 1e8, 5e8]);
    const { batches } = await workshop.info('workers-1');
    const prepared = batches?.loaders.find(({ name }) => name === first?.loader)?.preparation.total ?? 0;
    const inOperators = series.operators.reduce((sum, { costs: [cost] }) => sum + (cost?.elapsed ?? 0), 0);
    expect(inOperators).toBeGreaterThan(0);
    expect(inOperators).toBeLessThanOrEqual(1.01 * prepared);
    const { stdout: text } = await workshop.venturi('compare', 'workers-1', 'workers-2');
    expect(text).toMatch(/^workers-2 with 2 workers takes [\s\S]*where workers-1 with 1 took [\s\S]*CPU per\s+element/);
    const alone = await workshop.venturi('compare', 'workers-1');
    expect(alone).toMatchObject({ code: 2 });
  });
});

describe.skipIf(anyPython === undefined)('a program that cannot be sampled', () => {
  it('is recorded all the same where perf is not there, and says what to do', async () => {
    const env = { PATH: '/nonexistent' };
    const args = ['record', '--perf', '--out', 'none', '--', '/bin/sh', '-c', 'exit 7'];
    const { code, stderr } = await workshop.startVenturi(args, { env }).finished;
    expect(code).toBe(7);
    expect(stderr).toContain('started no Python');
    expect(stderr).toContain(
      'VENTURI_PERF_UNAVAILABLE: No samples were taken: perf is not on PATH. Install linux-perf',
    );
    expect(readdirSync(workshop.folder)).not.toContain('none.venturi');
  });

  it('is still said not to be there', async () => {
    const { code, stderr } = await workshop.venturi('record', '--perf', '--', 'no-such-program');
    expect(code).toBe(2);
    expect(stderr).toContain('VENTURI_PROGRAM_NOT_FOUND');
  });

  it('asked for samples, a run without says how to get them', async () => {
    workshop.pipeline('p.ts', 'range(p.n)');
    await workshop.record('p.ts', 'plain');
    const { code, stderr } = await workshop.venturi('samples', 'plain');
    expect(code).toBe(3);
    expect(stderr).toContain('venturi record --perf');
  });
});
