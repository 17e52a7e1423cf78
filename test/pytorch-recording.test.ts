import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { MachineCostsSchema } from '../src/model/machine-costs.ts';
import type { ProgramRecordResult } from '../src/workflow/index.ts';
import { deep, deepIf, quick as it } from './fixtures/depth-tests.ts';
import { anyPython, LOADERS, PROBE, skipped, torchNeeded, torchPython, visionPython } from './fixtures/python.ts';
import { ELEMENTS, PATIENCE, TorchWorkshop } from './fixtures/torch-workshop.ts';
import type { Finished } from './fixtures/workshop.ts';

let workshop: TorchWorkshop;
beforeAll(() => {
  workshop = new TorchWorkshop(torchPython);
});
afterAll(() => workshop.remove());

describe.skipIf(torchPython === undefined)(`recording a PyTorch program${torchNeeded}`, { timeout: PATIENCE }, () => {
  it('passes the exit code on', async () => {
    expect(await workshop.recorded('seven', 'workers=0', 'exit=7')).toMatchObject({ code: 7 });
  });

  deep('records no more than the batches asked for, and goes on', async () => {
    const before = await workshop.plain();
    const args = ['record', '--no-costs', '--out', 'few', '--batches', '4', '--json', '--', workshop.python, LOADERS];
    const { code, stdout, stderr } = await workshop.venturi(...args);
    const result: ProgramRecordResult = JSON.parse(stdout);
    expect([code, result.exitCode, result.batches]).toEqual([0, 0, 4]);
    expect(stderr).toContain(before.stdout.trim().split('\n').at(-1));
    expect((await workshop.info('few')).batches?.loaders[0]?.batches).toBe(4);
  });

  deep('leaves paths and arguments out where that is asked for', async () => {
    const folder = 'hidden-folder-of-alice';
    const script = workshop.write(`${folder}/secret-name.py`, readFileSync(LOADERS, 'utf8'));
    const command = [
      'record',
      '--no-costs',
      '--out',
      'open',
      '--redact',
      '--',
      workshop.python,
      script,
      'epochs=1',
      'note=hunter2secret',
    ];
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
    expect(await workshop.loaderOf('open')).toMatchObject({ elements: ELEMENTS, settings: { batch_size: 8 } });
  });

  it('is told afterwards what a worker would cost there, and a pool of threads', async () => {
    const script = join(PROBE, 'venturi_probe/pytorch/machine/costs.py');
    const { code, stdout, stderr } = await workshop.start(workshop.python, [
      script,
      '--bytes',
      '400000',
      '--threads',
      '2',
    ]).finished;
    expect(code, stderr).toBe(0);
    const { busy, worker, pool } = MachineCostsSchema.parse(JSON.parse(stdout));
    expect(busy[0]).toEqual({ threads: 1, compute: 1, memory: 1 });
    expect(worker).toMatchObject({ bytes: 400_000 });
    expect(worker?.each).toBeGreaterThan(0);
    expect(worker?.receive).toBeGreaterThan(0);
    expect(pool?.threads).toBe(2);
  });

  it('has a graph of what happens to an element', async () => {
    await workshop.recorded('graph', 'workers=1');
    const { graph, host, probe } = (await workshop.info('graph')).manifest;
    expect(probe).toBe('pytorch');
    expect(host.runtime).toMatch(/^python \d.*, torch \d/);
    // Recorded with --no-costs.
    expect(host.costs).toBeUndefined();
    expect(graph?.operators.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['dataset', 'transform', 'collate', 'DataLoader']),
    );
    expect(graph?.operators.at(-1)).toMatchObject({ id: 'loader', settings: { batch_size: 8, num_workers: 1 } });
    expect(graph?.operators.at(-1)?.location).toMatch(/loaders\.py:\d+$/);
    expect(graph?.channels).toMatchObject([{ to: 'loader', slots: 2 }]);
  });

  deep('can be recorded by hand', async () => {
    const env = { PYTHONPATH: PROBE };
    const args = ['-m', 'venturi_probe', '--out', 'by-hand', LOADERS, 'start=spawn', 'epochs=1'];
    const [before, after] = await Promise.all([
      workshop.plain('start=spawn', 'epochs=1'),
      workshop.start(workshop.python, args, { env }).finished,
    ]);
    expect(after, after.stderr).toMatchObject({ code: 0, stdout: before.stdout });
    expect(await workshop.loaderOf('by-hand')).toMatchObject({ elements: ELEMENTS });
    expect(await workshop.info('by-hand')).toMatchObject({ complete: true, status: 'completed' });
  });

  deep('can be recorded from a cell of a notebook, after everything was imported', async () => {
    const cell = [
      'import torch, torch.utils.data as data, venturi_probe',
      'venturi_probe.record("notebook", batches=6)',
      'loader = data.DataLoader(data.TensorDataset(torch.arange(80)), batch_size=8, num_workers=2)',
      'print(sum(int(numbers.sum()) for numbers, in loader))',
    ].join('\n');
    const { code, stdout, stderr } = await workshop.start(workshop.python, ['-c', cell], { env: { PYTHONPATH: PROBE } })
      .finished;
    expect([code, stdout], stderr).toEqual([0, '3160\n']);
    const { batches } = await workshop.info('notebook');
    expect(batches?.loaders.map(loader => loader.batches)).toEqual([6]);
  });
});

/** The examples; two need torchvision, or the Pillow that comes with it. */
const EXAMPLES = [
  { example: 'classify', python: visionPython, args: ['--images', '96', '--batch', '4', '--epochs', '1'] },
  { example: 'segment', python: torchPython, args: ['--repeats', '2', '--volumes', '8'] },
  { example: 'detect', python: visionPython, args: ['--images', '96'] },
  { example: 'text', python: torchPython, args: ['--sentences', '2000'] },
];

describe('recording an example', { timeout: PATIENCE }, () => {
  for (const { example, python, args } of EXAMPLES) {
    deepIf(python !== undefined)(`${example}${skipped(python, 'torch and torchvision')}`, async () => {
      const script = fileURLToPath(new URL(`../examples/pytorch/${example}.py`, import.meta.url));
      const { code, stderr } = await workshop.venturi(
        'record',
        '--no-costs',
        '--out',
        example,
        '--',
        python ?? '',
        script,
        ...args,
      );
      expect(code, stderr).toBe(0);
      expect((await workshop.info(example)).batches?.loaders[0]?.batches).toBeGreaterThan(10);
      const { stdout } = await workshop.venturi('info', example);
      expect(stdout).toMatch(/preparation \(T1\)[\s\S]*wait \(T2\)[\s\S]*operator \(T3\)/);
    });
  }
});

describe.skipIf(anyPython === undefined)('a recorded program without PyTorch', () => {
  const record = (...command: string[]): Promise<Finished> =>
    workshop.venturi('record', '--no-costs', '--out', 'none', '--', ...command);

  it('is told why there is nothing, and leaves no folder', async () => {
    const { code, stderr } = await record(anyPython ?? '', '-c', 'import sys; sys.exit(3)');
    expect(code).toBe(3);
    expect(stderr).toContain('never imported torch.utils.data');
    expect(readdirSync(workshop.folder)).not.toContain('none.venturi');
  });

  it('is told that what it loads with is not seen', async () => {
    workshop.write('lib/ffcv/__init__.py', '');
    workshop.write('lib/ffcv/loader/__init__.py', 'class Loader: pass\n');
    workshop.write('lib/nvidia/dali/__init__.py', 'from .pipeline import Pipeline\n');
    workshop.write('lib/nvidia/dali/pipeline.py', 'class Pipeline: pass\n');
    const script = 'import sys; sys.path.insert(0, "lib"); from ffcv.loader import Loader; import nvidia.dali';
    const { code, stderr } = await record(anyPython ?? '', '-c', script);
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('this program loads with ffcv and NVIDIA DALI, which Venturi does not see');
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
    const after = await workshop.startVenturi(
      ['record', '--no-costs', '--out', 'none', '--', anyPython ?? '', ...args],
      { env },
    ).finished;
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
  it('ends without a word where an iterator outlives the modules of its process', async () => {
    const code =
      'import os\nfrom venturi_probe.recording import clocks\none = clocks.QueueClock(os.getpid())\ndel clocks.os, one';
    const env = { PYTHONPATH: PROBE };
    expect(await workshop.start(anyPython ?? '', ['-c', code], { env }).finished).toMatchObject({
      code: 0,
      stderr: '',
    });
  });

  it('leaves results, what it stands in for, and tracebacks as they were', async () => {
    const script = fileURLToPath(new URL('./fixtures/probe_alone.py', import.meta.url));
    const env = { PYTHONPATH: PROBE };
    const { code, stdout, stderr } = await workshop.start(anyPython ?? '', [script, 'alone'], { env }).finished;
    expect([code, stdout], stderr).toEqual([0, 'same alone\n']);
  });

  it('tells a batch that a dataset made from an element', async () => {
    const script = fileURLToPath(new URL('./fixtures/probe_counting.py', import.meta.url));
    const { stdout, stderr } = await workshop.start(anyPython ?? '', [script], { env: { PYTHONPATH: PROBE } }).finished;
    expect(stdout, stderr).toBe('counted\n');
  });

  it('times the operators of a library that is imported while an element is timed', async () => {
    const script = fileURLToPath(new URL('./fixtures/probe_watching.py', import.meta.url));
    const env = { PYTHONPATH: PROBE };
    const { stdout, stderr } = await workshop.start(anyPython ?? '', [script, 'watching'], { env }).finished;
    expect(stdout, stderr).toBe('timed\n');
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
    const seen = workshop.sequencesOf('room', 'wait:loader');
    expect(seen[0]).toBe(0);
    expect(seen.at(-1)).toBe(written / 24 / 3 - 1);
    expect(seen.length).toBeLessThan(written / 24 / 3);
  });

  it('waits for nothing that others put into its folder', async () => {
    const script = fileURLToPath(new URL('./fixtures/probe_pipes.py', import.meta.url));
    const started = workshop.start(anyPython ?? '', [script, 'pipes'], { env: { PYTHONPATH: PROBE } });
    // One that hangs is killed, and shows it by its code.
    const killer = setTimeout(() => started.child.kill('SIGKILL'), 60_000);
    const { code, stdout, stderr } = await started.finished;
    clearTimeout(killer);
    expect([code, stdout], stderr).toEqual([0, 'went on\n']);
    expect(stderr).toContain('it is not a file');
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
