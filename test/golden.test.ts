import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FakeContext } from '../src/cli/fake-context.fixture.ts';
import { runProgram } from '../src/cli/program.ts';
import { tuneVerb } from '../src/cli/verbs/tune.ts';
import { type FakeJob, jobText } from '../src/probes/steps/kineto/trace.fixture.ts';
import { savePlan } from '../src/workflow/plan-file.ts';
import { tunePipeline } from '../src/workflow/targets/engine/tuner.ts';
import { tuneLoaders } from '../src/workflow/targets/pytorch/tuner.ts';

/**
 * What the verbs say of recorded runs, in text and in JSON, held against files. A difference is a fault, or it is meant: then
 * `npx vitest run test/golden.test.ts -u` writes the files anew, and their diff is to be read.
 */
const GOLDEN = fileURLToPath(new URL('./golden/', import.meta.url));
const OUTPUTS = join(GOLDEN, 'outputs');

const RUNS = readdirSync(join(GOLDEN, 'recordings')).filter(file => file.endsWith('.venturi'));
/** A folder of runs, of which one says too little. */
const FLEET = 'fleet';
const IN_FLEET = ['pipeline-joined.venturi', 'pipeline-written.venturi', 'program-none.venturi'];
const EMPTY = fileURLToPath(new URL('../src/store/golden/0.1.0.venturi', import.meta.url));

/** Command lines by the file that holds what they print. */
const commands = new Map<string, readonly string[]>();

function add(file: string, ...args: readonly string[]): void {
  commands.set(`${file}.txt`, args);
  commands.set(`${file}.json`, [...args, '--json']);
}

for (const run of RUNS) {
  const name = basename(run, '.venturi');
  for (const verb of ['info', 'diagnose']) add(`${verb}-${name}`, verb, run);
  commands.set(`info-flat-${name}.json`, ['info', run, '--flat']);
}
for (const name of ['pipeline-joined', 'pipeline-written', 'program-workers', 'program-0.1.0']) {
  add(`predict-${name}`, 'predict', `${name}.venturi`);
}
for (const name of ['pipeline-joined', 'program-workers', 'program-sampled']) {
  for (const to of ['csv', 'chrome']) {
    commands.set(`export-${to}-${name}.txt`, ['export', `${name}.venturi`, '--to', to, '--out', `out/${to}`]);
  }
}
for (const to of ['markdown', 'html', 'prometheus', 'otlp']) {
  for (const path of ['pipeline-joined.venturi', 'program-workers.venturi', 'program-0.1.0.venturi', 'steps.json']) {
    const name = path.replace(/\.\w+$/, '');
    commands.set(`export-${to}-${name}.txt`, ['export', path, '--to', to, '--out', `out/${to}`]);
  }
}
commands.set('export-chrome-steps.txt', ['export', 'steps.json', '--to', 'chrome', '--out', 'out/chrome']);
commands.set('export-pprof-steps.txt', ['export', 'steps.json', '--to', 'pprof', '--out', 'out/pprof']);
commands.set(
  'export-table.txt',
  'export pipeline-joined.venturi --to csv --table lanes --out out/lanes.csv'.split(' '),
);
commands.set('export-unknown-table.txt', 'export steps.json --to csv --table nothing --out out/x.csv'.split(' '));
commands.set('export-unknown.txt', ['export', 'pipeline-joined.venturi', '--to', 'nothing']);
for (const to of ['cpuprofile', 'speedscope', 'collapsed']) {
  const out = to === 'cpuprofile' ? 'out/lanes' : `out/profile.${to}`;
  commands.set(`export-${to}.txt`, ['export', 'pipeline-profiled.venturi', '--to', to, '--out', out]);
}
commands.set('export.json', ['export', 'program-none.venturi', '--to', 'csv', '--out', 'out/csv', '--json']);
add('diagnose-folder', 'diagnose', FLEET);
add('diagnose-root', 'diagnose', 'pipeline-joined.venturi', '--root', 'augment');
add('predict-cores', 'predict', 'pipeline-joined.venturi', '--cores', '8', '--step', '10ms');
add('predict-step-of-sinks', 'predict', 'pipeline-written.venturi', '--step', '10ms');
add('predict-workers', 'predict', 'program-none.venturi', '--workers', '0,1,4', '--cores', '8', '--epochs', '5');
add('predict-loader', 'predict', 'program-none.venturi', '--loader', 'val_loader');
add('predict-unknown-loader', 'predict', 'program-none.venturi', '--loader', 'nobody');
add(
  'compare-pipelines',
  'compare',
  'pipeline-joined.venturi',
  'pipeline-joined-0.1.0.venturi',
  'pipeline-written.venturi',
);
commands.set(
  'compare-profiles.txt',
  'compare pipeline-profiled.venturi pipeline-joined.venturi pipeline-profiled.venturi'.split(' '),
);
add('compare-programs', 'compare', 'program-none.venturi', 'program-workers.venturi', 'program-0.1.0.venturi');
for (const format of ['markdown', 'html']) {
  commands.set(`compare-${format}.txt`, [
    'compare',
    'pipeline-joined.venturi',
    'pipeline-written.venturi',
    '--format',
    format,
  ]);
}
commands.set('info-format-json.txt', ['info', 'steps.json', '--format', 'html', '--json']);
add('compare-both', 'compare', 'program-none.venturi', 'pipeline-joined.venturi');
add('compare-plans', 'compare', 'plan-1.json', 'plan-2.json');
add('profile', 'profile', 'pipeline-profiled.venturi');
commands.set('profile-line.txt', 'profile pipeline-profiled.venturi --level line --from 100ms --to 5s'.split(' '));
add('profile-none', 'profile', 'pipeline-joined.venturi');
add('samples', 'samples', 'program-sampled.venturi');
add('samples-none', 'samples', 'program-none.venturi');
add('map', 'map', 'program-sampled.venturi');
add('missing', 'diagnose', 'nothing.venturi');
for (const verb of ['info', 'diagnose']) add(`${verb}-steps`, verb, 'steps.json');
add('diagnose-steps-ranks', 'diagnose', 'ranks');
add(
  'predict-steps-allreduce',
  'predict',
  'steps.json',
  '--replicas',
  '1,2,8',
  '--bandwidth',
  '1Gbit',
  '--batch-size',
  '64',
);
const EXAMPLE = ['predict', 'vgg11.json.gz', '--bandwidth', '1Gbit', '--steps', '60', '--batch-size', '32'];
const COSTS = ['--price', '0.5', '--server-price', '0.2', '--epoch-size', '50000', '--wanted', '8/s'];
add('predict-steps-async', ...EXAMPLE, '--replicas', '1,2,4', '--servers', '1,2', ...COSTS);
add('predict-steps-fit', ...EXAMPLE, '--replicas', '1..2', '--mode', 'sync', '--fit');
add('predict-steps-workers', 'predict', 'steps-alone.json', '--workers', '0,2,4');
const RECORDED = ['--recording', 'program-workers.venturi'];
add('predict-steps-recording', 'predict', 'steps.json', ...RECORDED, '--workers', '0,2,4');
add('predict-steps-input', 'predict', 'steps.json', ...RECORDED, '--replicas', '1,2', '--bandwidth', '1Gbit');
add('predict-steps-no-input', 'predict', 'steps.json');
add('compare-mixed', 'compare', 'steps.json', 'pipeline-joined.venturi');
add('compare-mixed-plan', 'compare', 'steps.json', 'plan-1.json');
add('compare-mixed-missing', 'compare', 'steps.json', 'nothing');
add('info-steps-timeless', 'info', 'timeless.json');
add('compare-steps', 'compare', 'steps.json', 'steps-input.json');

/** Traces of training steps, which the test writes. */
const TRACES: Readonly<Record<string, FakeJob>> = {
  'steps.json': {},
  'steps-input.json': { input: 8000, kernel: 400 },
  'steps-alone.json': { input: 3000, alone: true, steps: 6 },
  'ranks/0.json': {},
  'ranks/1.json': { rank: 1, late: 150, ahead: 12.345 },
};

/** A step that takes no time, in the format of docs/steps.md. */
const TIMELESS = {
  format: 'venturi-steps',
  version: 1,
  resources: [{ name: 'gpu', kind: 'device' }],
  steps: [{ number: 0, start: 0, duration: 0 }],
  ops: [{ name: 'op', resource: 0, start: 0, duration: 0, step: 0 }],
};

const VGG = fileURLToPath(new URL('../examples/steps/vgg11-one-worker.json.gz', import.meta.url));

const folder = mkdtempSync(join(tmpdir(), 'venturi-golden-'));
const home = process.cwd();

beforeAll(() => {
  cpSync(join(GOLDEN, 'recordings'), folder, { recursive: true });
  for (const run of IN_FLEET) cpSync(join(GOLDEN, 'recordings', run), join(folder, FLEET, run), { recursive: true });
  cpSync(EMPTY, join(folder, FLEET, 'empty.venturi'), { recursive: true });
  mkdirSync(join(folder, 'ranks'));
  cpSync(VGG, join(folder, 'vgg11.json.gz'));
  for (const [file, job] of Object.entries(TRACES)) writeFileSync(join(folder, file), jobText(job));
  writeFileSync(join(folder, 'timeless.json'), JSON.stringify(TIMELESS));
  // Short paths, as a user gives them: lines break where they always do.
  process.chdir(folder);
});

afterAll(() => {
  process.chdir(home);
  rmSync(folder, { recursive: true, force: true });
});

/** Last digits differ from one version of V8 to the next. */
const rounded = (text: string): string =>
  text.replaceAll(/-?\d+\.\d+(e[-+]\d+)?/g, number => String(Number(Number(number).toPrecision(9))));

const normalised = (text: string, isJson: boolean): string =>
  (isJson ? rounded(text) : text).replaceAll(folder, 'FOLDER');

/** All that a command line leaves behind: what it says, how it ends, and what it wrote to `out/`. */
async function saidBy(args: readonly string[]): Promise<string> {
  mkdirSync('out');
  const context = new FakeContext({ width: 100 });
  const code = await runProgram(args, context);
  const parts = [normalised(context.stdout, args.includes('--json') || args.includes('--flat'))];
  if (context.stderr !== '') parts.push(`── stderr\n${context.stderr}`);
  if (code !== 0) parts.push(`── exit code ${code}\n`);
  for (const file of writtenFiles())
    parts.push(`── ${file}\n${shortened(normalised(readFileSync(file, 'utf8'), true))}`);
  rmSync('out', { recursive: true, force: true });
  return normalised(parts.join(''), false);
}

/** The first lines of a file, and the hash of all: files that are written are bulk. */
function shortened(text: string): string {
  const lines = text.split('\n');
  const hash = createHash('sha256').update(text).digest('hex');
  return [...lines.slice(0, 3).map(line => line.slice(0, 200)), `… ${lines.length} lines, SHA-256 ${hash}`, ''].join(
    '\n',
  );
}

const writtenFiles = (): string[] =>
  readdirSync('out', { recursive: true, encoding: 'utf8' })
    .map(file => join('out', file))
    .filter(file => statSync(file).isFile())
    .sort();

test('every file of outputs is that of a case', () => {
  expect(readdirSync(OUTPUTS).sort()).toEqual(
    [...commands.keys(), ...Object.keys(TUNED).flatMap(file => [`${file}.txt`, `${file}.json`])].sort(),
  );
});

test.each([...commands])('%s', async (file, args) => {
  await expect(await saidBy(args)).toMatchFileSnapshot(join(OUTPUTS, file));
});

/** `tune` measures, for minutes: it is given a result that was kept. */
const TUNED: Readonly<Record<string, (context: FakeContext, json: boolean) => Promise<number>>> = {
  'tune-pipeline': (context, json) =>
    tuneVerb(['joined.ts'], { json }, context, {
      tuneCommand: (...args) => tunePipeline(...args, { tune: async () => kept('tuned-pipeline.json'), savePlan }),
    }),
  'tune-program': (context, json) =>
    tuneVerb(['python3', 'loaders.py'], { json }, context, {
      tuneCommand: (...args) => tuneLoaders(...args, { tuneProgram: async () => kept('tuned-program.json') }),
    }),
};

const kept = <T>(file: string): T => JSON.parse(readFileSync(file, 'utf8'));

test.each(Object.entries(TUNED))('%s', async (file, tune) => {
  for (const [ending, json] of [
    ['txt', false],
    ['json', true],
  ] as const) {
    const context = new FakeContext({ width: 100 });
    expect(await tune(context, json)).toBe(0);
    await expect(normalised(context.stdout, json)).toMatchFileSnapshot(join(OUTPUTS, `${file}.${ending}`));
  }
});
