import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRun } from '../src/store/run-reader.ts';
import type { LoaderSummary, RecordResult } from '../src/workflow/index.ts';
import { anyPython, LOADERS, PROBE, skipped, torchNeeded, torchPython, unorderedPython } from './fixtures/python.ts';
import { type Finished, pause, Workshop } from './fixtures/workshop.ts';

/** Starting Python with torch takes seconds, on a busy machine many, and spawned workers do it too. */
const PATIENCE = 300_000;
const EPOCHS = 2;
const ELEMENTS = 70;
const BATCHES = 9;

let workshop: Workshop;
beforeAll(() => {
  workshop = new Workshop();
});
afterAll(() => workshop.remove());

const python = torchPython ?? 'python3';
const unorderedNeeded = skipped(unorderedPython, 'torch 2.6 or newer');
const known = new Map<string, Promise<Finished>>();
/** The program without the probe; once for all tests that compare with it. */
function plain(...args: string[]): Promise<Finished> {
  const key = args.join(' ');
  const finished = known.get(key) ?? workshop.start(python, [LOADERS, ...args]).finished;
  known.set(key, finished);
  return finished;
}
const recorded = (name: string, ...args: string[]): Promise<Finished> =>
  workshop.venturi('record', '--out', name, '--', python, LOADERS, ...args);

async function loaderOf(name: string): Promise<LoaderSummary> {
  const { batches } = await workshop.info(name);
  expect(batches?.loaders.map(loader => loader.name)).toEqual(['loader']);
  return batches?.loaders[0] as LoaderSummary;
}

/** The sequence numbers of all records on a subject. */
function sequencesOf(name: string, key: string): number[] {
  const source = openRun(workshop.path(name)).records();
  const found: number[] = [];
  for (const block of source.blocks()) {
    for (let row = 0; row < block.count; row++) {
      if (source.subjects[block.subject[row] ?? -1] === key) found.push(block.sequence[row] ?? -1);
    }
  }
  return found;
}

/** Batches that the lane of the pin-memory thread holds. */
const pinned = (name: string): number => sequencesOf(name, 'pin:loader').length;

async function expectSameAndComplete(
  name: string,
  args: readonly string[],
  before: Finished,
  after: Finished,
): Promise<void> {
  expect(before.code, before.stderr).toBe(0);
  expect(after).toMatchObject({ code: 0, stdout: before.stdout });
  const loader = await loaderOf(name);
  expect((await workshop.info(name)).problems).toEqual([]);
  const isStream = args.includes('stream=1') && !args.includes('workers=0');
  // Two workers divide the stream among them, 35 elements each.
  const batches = isStream ? 2 * Math.ceil(ELEMENTS / 2 / 8) : BATCHES;
  const epochs = args.includes('epochs=1') ? 1 : EPOCHS;
  expect(loader).toMatchObject({ batches: epochs * batches, elements: epochs * ELEMENTS });
  for (const part of ['preparation', 'wait', 'delay', 'consume'] as const) {
    expect(loader[part].count, part).toBe(epochs * batches);
  }
  // Of batches as cheap as these, the CPU time is sampled.
  expect(loader.cpu.count).toBeGreaterThan(0);
  expect(loader.passes.map(pass => pass.batches)).toEqual(Array(epochs).fill(batches));
  const timed = loader.operators.find(row => row.kind === 'dataset')?.timed ?? 0;
  expect(timed).toBeGreaterThan(0);
  for (const row of loader.operators.filter(({ kind }) => kind === 'transform')) expect(row.timed).toBe(timed);
  if (args.includes('pin=1')) expect(pinned(name)).toBe(epochs * batches);
  expect(loader.operators.find(row => row.kind === 'collate')?.timed).toBe(epochs * batches);
}

/** What the program itself said, without what the recording says at its end. */
const said = (stderr: string): string =>
  stderr
    .split('\n')
    .filter(line => !/^(warning: |recorded in |\S+( \(\w+\))?: loader )/.test(line))
    .join('\n');

describe.skipIf(torchPython === undefined)(`a recorded PyTorch program${torchNeeded}`, { timeout: PATIENCE }, () => {
  it.each([
    ['forked workers', ['start=fork']],
    ['spawned workers', ['start=spawn', 'epochs=1']],
    ['workers from a fork server', ['start=forkserver', 'epochs=1']],
    ['persistent workers', ['persistent=1']],
    ['a stream', ['stream=1']],
    ['a stream with persistent workers', ['stream=1', 'persistent=1']],
    ['no workers', ['workers=0']],
    ['a thread that pins memory', ['pin=1']],
    ['a stream without workers', ['workers=0', 'stream=1']],
    ['a Sequential as its transform', ['workers=0', 'transform=sequential']],
  ] as const)('prints the same and is counted to the last element: %s', async (_, args) => {
    const name = args.join('-');
    const [before, after] = await Promise.all([plain(...args), recorded(name, ...args)]);
    await expectSameAndComplete(name, args, before, after);
  });

  it.skipIf(unorderedPython === undefined)(
    `prints the same and is counted to the last element: batches as they come${unorderedNeeded}`,
    async () => {
      const args = [unorderedPython ?? '', LOADERS, 'unordered=1'] as const;
      const [before, after] = await Promise.all([
        workshop.start(args[0], args.slice(1)).finished,
        workshop.venturi('record', '--out', 'unordered', '--', ...args),
      ]);
      await expectSameAndComplete('unordered', args, before, after);
    },
  );

  it('times steps on a device, and never waits for it', async () => {
    const args = ['device=1', 'slow=0.02'];
    const [before, after] = await Promise.all([plain(...args), recorded('device', ...args)]);
    expect(after, after.stderr).toMatchObject({ code: 0, stdout: before.stdout });
    const { deviceStep, deviceWait, consume } = await loaderOf('device');
    expect(deviceStep.count).toBe(EPOCHS * BATCHES);
    expect(deviceWait.count).toBe(deviceStep.count);
    expect(deviceStep.mean).toBeGreaterThan(20e6);
    expect(deviceStep.mean).toBeLessThan(consume.mean * 1.01);
  });

  it('tells two iterators over one loader apart', async () => {
    const [before, after] = await Promise.all([plain('twice=1'), recorded('twice', 'twice=1')]);
    expect(after).toMatchObject({ code: 0, stdout: before.stdout });
    const loader = await loaderOf('twice');
    expect(loader).toMatchObject({ batches: 2 * EPOCHS * BATCHES, elements: 2 * EPOCHS * ELEMENTS });
    expect(loader.passes.map(pass => pass.batches)).toEqual([BATCHES, BATCHES, BATCHES, BATCHES]);
  });

  it('keeps an exception in a worker as it was, to the last line of its traceback', async () => {
    const args = ['workers=1', 'ordered=1', 'bad=60'];
    const [before, after] = await Promise.all([plain(...args), recorded('bad', ...args)]);
    expect(before.stderr).toContain('ValueError: element 60 is bad');
    expect(after.code).toBe(before.code);
    expect(said(after.stderr)).toBe(said(before.stderr));
    const { manifest } = await workshop.info('bad');
    expect(manifest.outcome).toMatchObject({ status: 'failed', error: { code: 'VENTURI_PROGRAM_FAILED' } });
  });

  it('leaves a readable run when a worker is killed', async () => {
    const args = ['workers=1', 'ordered=1', 'deadly=60'];
    const [before, after] = await Promise.all([plain(...args), recorded('deadly', ...args)]);
    expect(after.code).toBe(before.code);
    // Which of the two depends on what was on its way when the worker died.
    expect(after.stderr).toMatch(/RuntimeError: DataLoader worker \(pid|ConnectionResetError/);
    expect((await loaderOf('deadly')).batches).toBeGreaterThan(0);
  });

  it('leaves a readable run when the program is killed', async () => {
    const { code } = await recorded('suicide', 'suicide=4');
    expect(code).toBe(137);
    const loader = await loaderOf('suicide');
    // Up to a millisecond of them may be lost.
    expect(loader.batches).toBeGreaterThan(0);
    expect(loader.batches).toBeLessThanOrEqual(5);
    expect((await workshop.info('suicide')).manifest.outcome?.error?.message).toContain('SIGKILL');
  });

  it('is readable while it runs, and ends as Ctrl-C ends it', async () => {
    const started = workshop.startVenturi(['record', '--out', 'slow', '--', python, LOADERS, 'slow=0.3']);
    while (!/step 3/.test(started.stdout)) await pause(50);
    const during = await workshop.info('slow');
    expect(during).toMatchObject({ complete: false, status: 'incomplete' });
    expect(during.batches?.loaders[0]?.batches).toBeGreaterThan(2);
    started.child.kill('SIGINT');
    const { code, stderr } = await started.finished;
    expect(code).toBe(130);
    expect(stderr).toContain('KeyboardInterrupt');
    expect(await workshop.info('slow')).toMatchObject({ complete: true, status: 'interrupted' });
  });

  it('passes the exit code on', async () => {
    expect(await recorded('seven', 'workers=0', 'exit=7')).toMatchObject({ code: 7 });
  });

  it('records no more than the batches asked for, and goes on', async () => {
    const before = await plain();
    const args = ['record', '--out', 'few', '--batches', '4', '--json', '--', python, LOADERS];
    const { code, stdout, stderr } = await workshop.venturi(...args);
    const result: RecordResult = JSON.parse(stdout);
    expect([code, result.exitCode, result.batches]).toEqual([0, 0, 4]);
    expect(stderr).toContain(before.stdout.trim().split('\n').at(-1));
    expect((await workshop.info('few')).batches?.loaders[0]?.batches).toBe(4);
  });

  it('ends the program with its last batch, if that is asked for', async () => {
    const args = ['record', '--out', 'enough', '--batches', '4', '--then-stop', '--', python, LOADERS, 'slow=0'];
    const { code, stdout } = await workshop.venturi(...args);
    expect([code, stdout]).toEqual([0, 'step 0\nstep 1\nstep 2\nstep 3\n']);
    expect(await workshop.info('enough')).toMatchObject({ complete: true, status: 'stopped' });
    expect((await loaderOf('enough')).batches).toBe(4);
  });

  it('leaves paths and arguments out where that is asked for', async () => {
    const folder = 'hidden-folder-of-alice';
    const script = workshop.write(`${folder}/secret-name.py`, readFileSync(LOADERS, 'utf8'));
    const command = ['record', '--out', 'open', '--redact', '--', python, script, 'epochs=1', 'note=hunter2secret'];
    const { code, stderr } = await workshop.venturi(...command);
    expect(code, stderr).toBe(0);
    const run = workshop.path('open.venturi');
    const files = readdirSync(run, { recursive: true, encoding: 'utf8' }).filter(name => /lane$|json$/.test(name));
    expect(files.length).toBeGreaterThan(3);
    for (const file of files) {
      const bytes = readFileSync(join(run, file)).toString('latin1');
      for (const secret of [folder, 'hunter2', workshop.folder]) expect(bytes, file).not.toContain(secret);
    }
    const info = await workshop.info('open');
    expect(info.manifest.redacted).toBe(true);
    expect(await loaderOf('open')).toMatchObject({ elements: ELEMENTS, settings: { batch_size: 8 } });
  });

  it('goes on where the disk refuses, with one warning', async () => {
    const before = await plain('workers=0');
    const limited = `ulimit -f 2; exec ${python} ${LOADERS} workers=0`;
    const after = await workshop.venturi('record', '--out', 'small', '--', 'bash', '-c', limited);
    expect(after).toMatchObject({ code: 0, stdout: before.stdout });
    expect(after.stderr.match(/^venturi: recording stopped/gm)).toHaveLength(1);
    expect((await workshop.info('small')).problems.join()).toContain('stopped before the program did');
  });

  it('runs unrecorded where no folder can be made', async () => {
    workshop.write('file', '');
    const before = await plain('workers=0');
    const after = await workshop.venturi('record', '--out', 'file/run', '--', python, LOADERS, 'workers=0');
    expect(after).toMatchObject({ code: 0, stdout: before.stdout });
    expect(after.stderr).toContain('The program was not recorded');
  });

  it('has a graph of what happens to an element', async () => {
    await recorded('graph', 'workers=1');
    const { graph, host, probe } = (await workshop.info('graph')).manifest;
    expect(probe).toBe('pytorch');
    expect(host.runtime).toMatch(/^python \d.*, torch \d/);
    expect(graph?.operators.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['dataset', 'transform', 'collate', 'DataLoader']),
    );
    expect(graph?.operators.at(-1)).toMatchObject({ id: 'loader', settings: { batch_size: 8, num_workers: 1 } });
    expect(graph?.operators.at(-1)?.location).toMatch(/loaders\.py:\d+$/);
    expect(graph?.channels).toMatchObject([{ to: 'loader', slots: 2 }]);
  });

  it('can be recorded by hand', async () => {
    const env = { PYTHONPATH: PROBE };
    const args = ['-m', 'venturi_probe', '--out', 'by-hand', LOADERS, 'start=spawn', 'epochs=1'];
    const [before, after] = await Promise.all([
      plain('start=spawn', 'epochs=1'),
      workshop.start(python, args, { env }).finished,
    ]);
    expect(after, after.stderr).toMatchObject({ code: 0, stdout: before.stdout });
    expect(await loaderOf('by-hand')).toMatchObject({ elements: ELEMENTS });
    expect(await workshop.info('by-hand')).toMatchObject({ complete: true, status: 'completed' });
  });

  it('can be recorded from a cell of a notebook, after everything was imported', async () => {
    const cell = [
      'import torch, torch.utils.data as data, venturi_probe',
      'venturi_probe.record("notebook", batches=6)',
      'loader = data.DataLoader(data.TensorDataset(torch.arange(80)), batch_size=8, num_workers=2)',
      'print(sum(int(numbers.sum()) for numbers, in loader))',
    ].join('\n');
    const { code, stdout, stderr } = await workshop.start(python, ['-c', cell], { env: { PYTHONPATH: PROBE } })
      .finished;
    expect([code, stdout], stderr).toEqual([0, '3160\n']);
    const { batches } = await workshop.info('notebook');
    expect(batches?.loaders.map(loader => loader.batches)).toEqual([6]);
  });

  it.each([
    ['classify', ['--images', '96', '--batch', '4', '--epochs', '1']],
    ['segment', ['--repeats', '2', '--volumes', '8']],
    ['detect', ['--images', '96']],
    ['text', ['--sentences', '2000']],
  ])('runs the example %s', async (example, args) => {
    const script = fileURLToPath(new URL(`../examples/pytorch/${example}.py`, import.meta.url));
    const { code, stderr } = await workshop.venturi('record', '--out', example, '--', python, script, ...args);
    expect(code, stderr).toBe(0);
    expect((await workshop.info(example)).batches?.loaders[0]?.batches).toBeGreaterThan(10);
    const { stdout } = await workshop.venturi('info', example);
    expect(stdout).toMatch(/preparation \(T1\)[\s\S]*wait \(T2\)[\s\S]*operator \(T3\)/);
  });
});

describe.skipIf(anyPython === undefined)('a recorded program without PyTorch', () => {
  const record = (...command: string[]): Promise<Finished> =>
    workshop.venturi('record', '--out', 'none', '--', ...command);

  it('is told why there is nothing, and leaves no folder', async () => {
    const { code, stderr } = await record(anyPython ?? '', '-c', 'import sys; sys.exit(3)');
    expect(code).toBe(3);
    expect(stderr).toContain('never imported torch.utils.data');
    expect(readdirSync(workshop.folder)).not.toContain('none.venturi');
  });

  it('may be no Python at all', async () => {
    const { code, stderr } = await record('true');
    expect(code).toBe(0);
    expect(stderr).toContain('started no Python');
  });

  it('keeps the sitecustomize and the path it had', async () => {
    workshop.write('site/sitecustomize.py', 'import sys\nsys.marked = "here"\n');
    const env = { PYTHONPATH: workshop.path('site') };
    const args = ['-c', 'import sys; print(sys.marked, sys.path)'];
    const before = await workshop.start(anyPython ?? '', args, { env }).finished;
    const after = await workshop.startVenturi(['record', '--out', 'none', '--', anyPython ?? '', ...args], { env })
      .finished;
    expect(before.stdout).toMatch(/^here /);
    expect(after.stdout).toBe(before.stdout);
  });
});

describe('venturi record', () => {
  it('says how to give a command', async () => {
    const { code, stderr } = await workshop.venturi('record');
    expect(code).toBe(2);
    expect(stderr).toContain('venturi record -- python train.py');
  });

  it('says that a program is not there', async () => {
    const { code, stderr } = await workshop.venturi('record', '--', 'no-such-program');
    expect(code).toBe(2);
    expect(stderr).toContain('VENTURI_PROGRAM_NOT_FOUND');
    expect(readdirSync(workshop.folder)).not.toContain('no-such-program.venturi');
  });
});

describe.skipIf(anyPython === undefined)('the probe', () => {
  it('leaves results, what it stands in for, and tracebacks as they were', async () => {
    const script = fileURLToPath(new URL('./fixtures/probe_alone.py', import.meta.url));
    const env = { PYTHONPATH: PROBE };
    const { code, stdout, stderr } = await workshop.start(anyPython ?? '', [script, 'alone'], { env }).finished;
    expect([code, stdout], stderr).toEqual([0, 'same alone\n']);
  });

  it('keeps to the space it is given, and what is left can be read', async () => {
    const script = fileURLToPath(new URL('./fixtures/probe_room.py', import.meta.url));
    const limit = 3_000_000;
    const { code, stdout, stderr } = await workshop.start(anyPython ?? '', [script, 'room', String(limit)], {
      env: { PYTHONPATH: PROBE },
    }).finished;
    expect(code, stderr).toBe(0);
    const { written, most } = JSON.parse(stdout);
    expect(written).toBeGreaterThan(3 * limit);
    expect(most).toBeLessThanOrEqual(limit);
    const seen = sequencesOf('room', 'wait:loader');
    expect(seen[0]).toBe(0);
    expect(seen.at(-1)).toBe(written / 24 / 3 - 1);
    expect(seen.length).toBeLessThan(written / 24 / 3);
  });

  it('is written for Python 3.8 and newer', async () => {
    const root = PROBE;
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.py'));
    expect(files.length).toBeGreaterThan(8);
    const sources = JSON.stringify(files.map(name => readFileSync(join(root, name), 'utf8')));
    workshop.write('sources.json', sources);
    const code =
      'import ast, json\nfor text in json.load(open("sources.json")): ast.parse(text, feature_version=(3, 8))';
    const { code: status, stderr } = await workshop.start(anyPython ?? '', ['-c', code]).finished;
    expect(status, stderr).toBe(0);
  });
});
