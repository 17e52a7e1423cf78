import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describePipeline, loadPipeline } from 'venturi/engine';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anyPython, PROBE, skipped, torchPython } from './fixtures/python.ts';
import { pause, type Started, Workshop } from './fixtures/workshop.ts';

const CONSUMED = fileURLToPath(new URL('./fixtures/consumed.py', import.meta.url));
const shop = new Workshop();
afterAll(() => shop.remove());

const ENV = { PYTHONPATH: PROBE, PYTHONDONTWRITEBYTECODE: '1' };

const NUMBERED = `
const numbered = (number: number) => ({
  x: { data: new Float32Array(40_000).fill(number), shape: [4, 100, 100] },
  number,
});`;

/** Waits until no process that was started in the workshop lives on. */
async function allEnded(): Promise<void> {
  while (shop.processes().length > 0) await pause();
}

/** And nothing is left in its temporary folder. */
async function nothingLeft(): Promise<void> {
  await allEnded();
  expect(shop.leftovers()).toEqual([]);
}

describe.skipIf(torchPython === undefined)(`batches for Python${skipped(torchPython, 'torch and numpy')}`, () => {
  let answers: Readonly<Record<string, unknown>> = {};

  beforeAll(async () => {
    if (torchPython === undefined) return;
    shop.pipeline('numbered.ts', 'range(p.count).map(numbered, { parallelism: 2 })', NUMBERED, '{ count: 12 }');
    shop.pipeline(
      'kinds.ts',
      'range(1).map(kinds)',
      `const kinds = () => ({
        tensors: {
          f4: new Float32Array([0.5, -1]), f8: new Float64Array([0.1]), u1: Buffer.from([255]), i1: new Int8Array([-1]),
          i2: new Int16Array([-2]), u2: new Uint16Array([65535]), i4: new Int32Array([-3]), u4: new Uint32Array([2 ** 32 - 1]),
          i8: new BigInt64Array([-(2n ** 60n)]), none: new Float32Array(0), flat: { data: new Float32Array(6), shape: [2, 3] },
        },
        values: ['é', 1, 2.5, -0, 2n ** 70n, null, undefined, true, Infinity, new Date(0), new Map([[1, 'a']]), { $: [] }],
      });`,
    );
    shop.pipeline(
      'stacked.ts',
      'range(8).map(i => ({ x: new Float32Array(20_000).fill(i), label: i % 3 })).batch(4).map(batch => [batch.map(({ x }) => x), batch.map(({ label }) => label)])',
    );
    shop.pipeline(
      'failing.ts',
      'range(20).map(fail, { parallelism: 2 })',
      'const fail = (i: number) => { if (i === 7) throw new Error("no seven"); return i; };',
    );
    shop.pipeline(
      'dying.ts',
      'range(20).map(i => { if (i === 9 && !existsSync("died")) { writeFileSync("died", ""); process.exit(3); } return numbered(i); }, { parallelism: 2 })',
      `import { existsSync, writeFileSync } from 'node:fs';${NUMBERED}`,
    );
    shop.pipeline(
      'waiting.ts',
      "range(2).map(async (i, { signal }) => { writeFileSync('waits', ''); await once(signal, 'abort'); return i; })",
      `import { once } from 'node:events';import { writeFileSync } from 'node:fs';`,
    );
    shop.pipeline(
      'refusing.ts',
      'range(20).batch(4).map(items => ({ items: items.map(i => (i === 9 ? { match: /9/ } : i)) }), { parallelism: 2 })',
    );
    const { code, stdout, stderr } = await shop.start(torchPython, [CONSUMED], { env: ENV }).finished;
    expect([code, stderr]).toEqual([0, '']);
    answers = JSON.parse(stdout);
  }, 240_000);

  it('are tensors of the type and shape of their arrays, and Python values', () => {
    const [tensors, values] = answers.kinds as [Record<string, [string, number[], unknown]>, string];
    const { u2, u4, ...others } = tensors;
    expect(others).toEqual({
      f4: ['torch.float32', [2], [0.5, -1]],
      f8: ['torch.float64', [1], [0.1]],
      u1: ['torch.uint8', [1], [255]],
      i1: ['torch.int8', [1], [-1]],
      i2: ['torch.int16', [1], [-2]],
      i4: ['torch.int32', [1], [-3]],
      i8: ['torch.int64', [1], [-(2 ** 60)]],
      none: ['torch.float32', [0], []],
      flat: [
        'torch.float32',
        [2, 3],
        [
          [0, 0, 0],
          [0, 0, 0],
        ],
      ],
    });
    // Wider where torch has no such type.
    expect([u2, u4]).toEqual([
      [expect.stringMatching(/^torch\.(uint16|int32)$/), [1], [65535]],
      [expect.stringMatching(/^torch\.(uint32|int64)$/), [1], [2 ** 32 - 1]],
    ]);
    expect(values).toBe(
      "['é', 1, 2.5, -0.0, 1180591620717411303424, None, None, True, inf, " +
        "datetime.datetime(1970, 1, 1, 0, 0, tzinfo=datetime.timezone.utc), {1: 'a'}, {'$': []}]",
    );
  });

  it('come in order, pass by pass, in shared memory; their number is known after the first', () => {
    expect(answers.passes).toEqual([true, 'the number of batches is known after the first pass', 12, true]);
  });

  it('do not change while they, or views of them, are kept, however few slots there are', () => {
    expect(answers.kept).toEqual([true, true, true]);
  });

  it('can be borrowed', () => expect(answers.borrowed).toBe(true));

  it('are stacked', () =>
    expect(answers.stacked).toEqual([
      [4, 20_000],
      [0, 1, 2, 3],
      [0, 1, 2, 0],
    ]));

  it('are copied where shared memory is short, which is said once', () => {
    expect(answers.short).toEqual([true, ['Shared memory has room for 1 batch of 160000 bytes']]);
  });

  it('leave nothing in a folder', () => expect(answers.folder).toEqual([true, true, []]));

  it('of a function that throws are an exception with its code and place', () => {
    expect(answers.failing).toEqual(['VENTURI_USER_FUNCTION', true, true]);
  });

  it('that Python cannot be given are an exception that says where it is', () => {
    expect(answers.refusing).toEqual([
      'VENTURI_NOT_CLONEABLE',
      "'hand-over' failed on element 8: its .items[1].match is an instance of RegExp, which cannot be handed to Python",
    ]);
  });

  it('are all there when a thread died', () => expect(answers.dying).toBe(true));

  it('can be left early and begun anew; the engine ends with them', () => {
    expect(answers['left early']).toEqual([[0, 0], 0]);
  });

  it('are used up after their last pass, and the engine has ended by then', () => {
    expect(answers['used up']).toEqual([[3, 3], true, 'VENTURI_USAGE']);
  });

  it('are not taken by a process that is forked; it may begin a pass of its own', () => {
    expect(answers.forked).toEqual(['VENTURI_USAGE', [0, 1, 2], [1, 2, 3, 4, 5, 6, 7]]);
  });

  it('are divided among threads that share a pass', () => expect(answers.threads).toEqual([true, []]));

  it('stay what they are, where threads borrow them, until the same thread asks again', () =>
    expect(answers['threads that borrow']).toBe(true));

  it('can be ended by another thread', () => expect(answers['closed elsewhere']).toEqual([true]));

  it('can be ended by the handler of a signal, which then goes on', () =>
    expect(answers['closed by a signal']).toEqual(['closed', true]));

  it('belong to one loop at a time', () => expect(answers['two loops']).toEqual([0, true]));

  it('leave nothing behind', nothingLeft);
});

describe.skipIf(anyPython === undefined)(`a Python that consumes batches${skipped(anyPython, 'nothing')}`, () => {
  /** Without tensors it needs no torch. Told by its talk: the number of the process that runs the pipeline. */
  const consume = (body: string, env: Readonly<Record<string, string>> = {}): Started => {
    shop.pipeline('endless.ts', 'range(1e9).map(i => i, { parallelism: 2 }).batch(10)');
    const program = `import sys, time, venturi\nbatches = venturi.batches("endless.ts")\n${body}`;
    return shop.start(anyPython ?? '', ['-c', program], { env: { ...ENV, ...env } });
  };
  const FOREVER = [
    'for number, batch in enumerate(batches):',
    '  if number == 100: print("at", batches._engine._process.pid, file=sys.stderr, flush=True)',
  ].join('\n');
  const engineOf = ({ stderr }: Started): number => Number(/at (\d+)/.exec(stderr)?.[1]);

  it('and is killed takes the engine with it', async () => {
    const started = consume(FOREVER);
    await started.says(/at \d+/);
    started.child.kill('SIGKILL');
    await started.finished;
    await nothingLeft();
  });

  it('and is interrupted ends by that, and ends the engine', async () => {
    const started = consume(FOREVER);
    await started.says(/at \d+/);
    started.child.kill('SIGINT');
    const { stderr } = await started.finished;
    expect(stderr).toMatch(/KeyboardInterrupt\n$/);
    await nothingLeft();
  });

  it('is told of a run that is stopped by others', async () => {
    const started = consume(
      `try:\n  ${FOREVER.replaceAll('\n', '\n  ')}\nexcept venturi.PipelineError as error:\n  print(error.code)`,
    );
    await started.says(/at \d+/);
    process.kill(engineOf(started), 'SIGTERM');
    expect((await started.finished).stdout).toBe('VENTURI_INTERRUPTED\n');
    await nothingLeft();
  });

  it('may end in the middle, without a word', async () => {
    const started = consume('next(iter(batches))');
    expect(await started.finished).toMatchObject({ code: 0, stderr: '' });
    await nothingLeft();
  });

  it('can have the run recorded, carry out a plan, set operators, and do it all in one thread', async () => {
    shop.pipeline('counted.ts', 'range(p.n).map(i => i * 2, { name: "double", parallelism: 2 }).batch(4)');
    const { definition, dispose } = await loadPipeline(shop.path('counted.ts'));
    const { shape, fingerprint } = describePipeline(definition, { n: 10 });
    await dispose();
    const change = { action: { kind: 'parallelism', operator: 'double', to: 1 }, reason: 'binds' };
    const written = { schemaVersion: 1, pipeline: { path: 'counted.ts', shape, fingerprint }, changes: [change] };
    shop.write('plan.json', JSON.stringify(written));
    const program = [
      'import json, venturi',
      'said = []',
      'for options in ({"record": "kept"}, {"plan": "plan.json", "record": "planned"}, {"inline": True}, {"set": {"double.parallelism": 1}}):',
      '  with venturi.batches("counted.ts", params={"n": 10}, epochs=2, memory=2**26, **options) as batches:',
      '    said.append([list(batches), list(batches)])',
      'print(json.dumps(said))',
    ].join('\n');
    const { code, stdout, stderr } = await shop.start(anyPython ?? '', ['-c', program], { env: ENV }).finished;
    expect([code, stderr]).toEqual([0, '']);
    const pass = [
      [0, 2, 4, 6],
      [8, 10, 12, 14],
      [16, 18],
    ];
    expect(JSON.parse(stdout)).toEqual(Array.from({ length: 4 }, () => [pass, pass]));
    const lanesOf = async (run: string): Promise<number | undefined> =>
      (await shop.info(run)).operators.find(({ id }) => id === 'double')?.lanes;
    expect([await lanesOf('kept'), await lanesOf('planned')]).toEqual([2, 1]);
    await nothingLeft();
  });

  it('is told what is missing or wrong, and in which file', async () => {
    const failing =
      'try:\n  next(iter(batches))\nexcept venturi.PipelineError as error:\n  print(error.code, error.remedy)';
    shop.pipeline(
      'differs.ts',
      'isMainThread ? range(1) : range(1).take(1)',
      "import { isMainThread } from 'node:worker_threads';",
    );
    const [unknown, none, differs] = await Promise.all([
      consume(failing, { VENTURI_COMMAND: '/nowhere/venturi' }).finished,
      consume(failing.replace('batches', 'venturi.batches("none.ts")')).finished,
      consume(failing.replace('batches', 'venturi.batches("differs.ts")').replace('error.remedy', 'error.message'))
        .finished,
    ]);
    expect(unknown.stdout).toMatch(/^VENTURI_PROGRAM_NOT_FOUND .*VENTURI_COMMAND/);
    expect(none.stdout).toMatch(/^VENTURI_PIPELINE_NOT_FOUND give the path/);
    expect(differs.stdout).toMatch(/^VENTURI_GRAPH_DIFFERS .*differs\.ts/);
  });

  it('is told of options that are none, and of what the system refuses', async () => {
    const asked = [
      'slots="4"',
      'slots=-1',
      'slots_bytes=float("nan")',
      'epochs=0',
      'seed=1.5',
      'memory=[1]',
      'params=[1]',
      'folder="/nowhere/at all"',
    ];
    const program = [
      'import json, venturi',
      'said = []',
      `for options in (${asked.map(option => `dict(${option})`).join(', ')}):`,
      '  try: next(iter(venturi.batches("endless.ts", **options)))',
      '  except venturi.PipelineError as error: said.append([error.code, error.message])',
      'print(json.dumps(said))',
    ].join('\n');
    const env = { ...ENV, VENTURI_COMMAND: "'unclosed" };
    const [wrong, quoted] = await Promise.all([
      shop.start(anyPython ?? '', ['-c', program], { env: ENV }).finished,
      shop.start(anyPython ?? '', ['-c', 'import venturi\nnext(iter(venturi.batches("endless.ts")))'], { env })
        .finished,
    ]);
    expect(JSON.parse(wrong.stdout)).toEqual(
      asked.map(option => {
        const [name = ''] = option.split('=');
        return name === 'folder'
          ? ['VENTURI_FILE_UNWRITABLE', expect.stringContaining('/nowhere/at all')]
          : ['VENTURI_USAGE', expect.stringContaining(`${name}=`)];
      }),
    );
    expect(quoted.stderr).toMatch(/PipelineError: VENTURI_USAGE: VENTURI_COMMAND cannot be read: No closing quotation/);
    await nothingLeft();
  });

  it('is told which limit of the system is in the way', async () => {
    const program = [
      'import json, os, resource, venturi, venturi.slots',
      'said = []',
      'def say(ask):',
      '  try: ask()',
      '  except venturi.PipelineError as error: said.append([error.code, error.message, error.remedy])',
      'resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))',
      'say(lambda: next(iter(venturi.batches("endless.ts", slots=50))))',
      'slots = venturi.slots.Slots(1)',
      'os.ftruncate(slots._files[0], 2**40)',
      'resource.setrlimit(resource.RLIMIT_AS, (2**39, 2**39))',
      'say(lambda: slots.lend(0, 10))',
      'print(json.dumps(said))',
    ].join('\n');
    const { stdout } = await shop.start(anyPython ?? '', ['-c', program], { env: ENV }).finished;
    expect(JSON.parse(stdout)).toEqual([
      [
        'VENTURI_FILE_UNWRITABLE',
        expect.stringContaining('EMFILE'),
        expect.stringContaining('slots=, or allow more open files'),
      ],
      ['VENTURI_PROGRAM_FAILED', expect.stringContaining('cannot be mapped'), expect.stringContaining('ulimit -v')],
    ]);
    await nothingLeft();
  });

  // Last: an engine that is killed leaves the file it had made of the pipeline.
  it('is told when the engine dies', async () => {
    const started = consume(
      `try:\n  ${FOREVER.replaceAll('\n', '\n  ')}\nexcept venturi.PipelineError as error:\n  print(error.code)`,
    );
    await started.says(/at \d+/);
    process.kill(engineOf(started), 'SIGKILL');
    expect((await started.finished).stdout).toBe('VENTURI_ENGINE_DIED\n');
    await allEnded();
  });
});

it('the guide names every option of the batches', () => {
  const guide = readFileSync(new URL('../docs/python-consumer.md', import.meta.url), 'utf8');
  const source = readFileSync(new URL('../python/venturi/batches.py', import.meta.url), 'utf8');
  const options = [...(/\*,\n([^)]*)\)/.exec(source)?.[1] ?? '').matchAll(/(\w+)=/g)].map(([, name]) => name);
  expect(options.length).toBeGreaterThan(10);
  expect(options.filter(name => !guide.includes(`\`${name}\``))).toEqual([]);
});
