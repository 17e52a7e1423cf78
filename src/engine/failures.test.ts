import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { loadPipeline } from 'venturi/engine';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { VenturiError } from '../model/errors.ts';
import failing from './fixtures/failing.fixture.ts';
import { failureOf, threadCount, within } from './fixtures/outcome.fixture.ts';
import { ScratchFolder } from './fixtures/scratch-folder.fixture.ts';

const FILE = fileURLToPath(new URL('./fixtures/failing.fixture.ts', import.meta.url));
const lineOf = (mark: string): number =>
  1 +
  readFileSync(FILE, 'utf8')
    .split('\n')
    .findIndex(line => line.endsWith(`// line of ${mark}`));

const folder = new ScratchFolder();
let threads = 0;
beforeAll(async () => {
  // Node's own helper threads start with the first run.
  await failureOf(failing.run({ params: { name: 'sync' } }).drain());
  threads = threadCount();
});
afterAll(() => folder.remove());

type Where = 'inline' | 'in the source’s thread' | 'in two threads';
const EVERYWHERE: readonly Where[] = ['inline', 'in the source’s thread', 'in two threads'];
const ON_THREADS: readonly Where[] = ['in the source’s thread', 'in two threads'];

/** Runs a case of the fixture to its failure, and checks that nothing is left behind. */
async function failure(name: string, where: Where, log = ''): Promise<VenturiError> {
  const run = failing.run({
    params: { name, log, parallelism: where === 'in two threads' ? 2 : 0 },
    ...(where === 'inline' ? { parallelism: 0 as const } : {}),
  });
  const error = await within(failureOf(run.drain()));
  await expect(run.finished).rejects.toBe(error);
  expect(threadCount()).toBeLessThanOrEqual(threads);
  expect(folder.leftovers).toEqual([]);
  return error;
}

const stackOf = (error: VenturiError): string => (error.cause as Error).stack ?? '';

describe.each(EVERYWHERE)('a user function that fails, %s', where => {
  it.each([
    ['sync', 'RangeError: no seven', 'picky'],
    ['async', 'RangeError: no seven, later', 'async'],
    ['generator', 'RangeError: no seven inside', 'generator'],
    ['afterFilter', 'RangeError: no seven', 'picky'],
    ['afterShuffle', 'RangeError: no seven', 'picky'],
  ])('%s: names its operator and element, and shows its line', async (name, message, mark) => {
    const error = await failure(name, where);
    expect(error.code).toBe('VENTURI_USER_FUNCTION');
    expect(error.message).toBe(`'culprit' threw on element 7: ${message}`);
    expect(error.remedy).toContain('failing.fixture.ts:');
    expect(error.cause).toMatchObject({ name: 'RangeError' });
    expect(stackOf(error)).toContain(`failing.fixture.ts:${lineOf(mark)}:`);
  });

  it('behind a batch: names the first element of the batch it got', async () => {
    expect((await failure('afterBatch', where)).message).toBe("'culprit' threw on element 8: RangeError: no seven");
  });

  it.each([
    ['thrownText', "'culprit' threw on element 7: only text"],
    ['madeEarlier', "'culprit' threw on element 7: Error: made at import"],
  ])('%s: names its operator although the stack does not', async (name, message) => {
    expect((await failure(name, where)).message).toBe(message);
  });

  it('set-up: names its operator, and closes what was set up before', async () => {
    const log = folder.write('log', '');
    const error = await failure('setup', where, log);
    expect(error.code).toBe('VENTURI_USER_FUNCTION');
    expect(error.message).toBe("'culprit' threw: RangeError: no model");
    expect(stackOf(error)).toContain(`failing.fixture.ts:${lineOf('setup')}:`);
    expect(readFileSync(log, 'utf8').trim().split('\n')).toEqual(
      Array.from({ length: where === 'in two threads' ? 2 : 1 }, () => 'closed the first'),
    );
  });

  it('closing: fails a run that was otherwise fine', async () => {
    const error = await failure('closing', where);
    expect(error.code).toBe('VENTURI_USER_FUNCTION');
    expect(error.message).toBe("'culprit' threw: RangeError: cannot close");
  });

  it.each(['promise', 'rejection', 'promiseToForEach'])('%s: a promise nobody awaits is refused', async name => {
    const error = await failure(name, where);
    expect(error.code).toBe('VENTURI_PROMISE_RETURNED');
    expect(error.message).toMatch(/^'culprit' returned a promise on element \d/);
    expect(error.remedy).toContain('declare it async');
  });

  it.each(['promiseToFilter', 'asyncFilter', 'asyncFlatMap'])('%s: cannot wait for a promise', async name => {
    const error = await failure(name, where);
    expect(error.code).toBe('VENTURI_PROMISE_RETURNED');
    expect(error.message).toMatch(/^'culprit' returned a promise on element \d/);
    expect(error.remedy).toContain('an async map before it');
  });

  it('notIterable: a flatMap that returns no iterable', async () => {
    const error = await failure('notIterable', where);
    expect(error.code).toBe('VENTURI_USER_FUNCTION');
    expect(error.message).toMatch(/^'culprit' threw on element \d: TypeError: .* not iterable/);
  });
});

describe.each(ON_THREADS)('what only threads can suffer from, %s', where => {
  it('an element that cannot be cloned', async () => {
    const error = await failure('notCloneable', where);
    expect(error.code).toBe('VENTURI_NOT_CLONEABLE');
    expect(error.message).toMatch(/^what 'culprit' gives cannot be sent on: .*its \.call is of type function/);
    expect(error.remedy).toContain('plain data');
  });

  it('a worker that dies', async () => {
    const error = await failure('exit', where);
    expect(error.code).toBe('VENTURI_WORKER_DIED');
    expect(error.message).toContain('culprit');
    expect(error.message).toContain('ended by process.exit(3)');
    expect(error.remedy).toContain('process.exit()');
  });
});

describe.each(ON_THREADS)('elements by their keys, %s', where => {
  it.each(['groupExits', 'joinExits'])('%s: what was kept is gone', async name => {
    const error = await failure(name, where);
    expect(error.code).toBe('VENTURI_WORKER_DIED');
    expect(error.message).toContain('culprit');
  });

  it('groupNotCloneable: what a group came to cannot be sent on', async () => {
    const error = await failure('groupNotCloneable', where);
    expect(error.code).toBe('VENTURI_NOT_CLONEABLE');
    expect(error.message).toContain("what 'culprit' gives cannot be sent on");
  });

  it.each([
    ['groupThrows', 7],
    // Elements of the right side are numbered before those of the left.
    ['joinThrows', 17],
  ])('%s: a key cannot be had', async (name, element) => {
    const error = await failure(name, where);
    expect(error.code).toBe('VENTURI_USER_FUNCTION');
    expect(error.message).toContain(`'culprit' threw on element ${element}: RangeError: no key`);
  });
});

describe.each(['inline', 'in the source’s thread'] as const)('a source that fails, %s', where => {
  it.each(['source', 'asyncSource'])('%s: an iterable of the user’s own', async name => {
    const error = await failure(name, where);
    expect(error.code).toBe('VENTURI_USER_FUNCTION');
    expect(error.message).toBe("'culprit' threw: RangeError: source ran dry");
  });
});

/** A pipeline file as its author left it. */
const file = (name: string, lines: readonly string[]): string =>
  folder.write(
    name,
    ["import { from, jsonl, lines, pipeline, range } from 'venturi/engine';", ...lines, ''].join('\n'),
  );

const DEFINE = (build: string): string => `export default pipeline(import.meta, {}, () => ${build});`;

/** Loads and runs a pipeline file to its failure, and checks that nothing is left behind. */
async function failureOfFile(path: string, inline = false): Promise<VenturiError> {
  const error = await within(
    failureOf(async () => {
      const loaded = await loadPipeline(path);
      try {
        await loaded.definition.run(inline ? { parallelism: 0 } : {}).drain();
      } finally {
        await loaded.dispose();
      }
    }),
  );
  expect(threadCount()).toBeLessThanOrEqual(threads);
  expect(folder.leftovers).toEqual([]);
  return error;
}

describe('a pipeline file that cannot be used', () => {
  it('syntax: says where', async () => {
    const path = file('syntax.ts', ['const n: number = 3;', 'const m = = 4;', DEFINE('range(n)')]);
    const error = await failureOfFile(path);
    expect(error.code).toBe('VENTURI_PIPELINE_SYNTAX');
    expect(error.message).toMatch(new RegExp(`^${path}:3:11: `));
    expect(error.message).toContain('const m = = 4;');
  });

  it('syntax in a file it imports: says where', async () => {
    const imported = folder.write('imported.ts', 'export const n = 3;\n\nexport const m = );\n');
    const error = await failureOfFile(file('imports.ts', ["import { m } from './imported.ts';", DEFINE('range(m)')]));
    expect(error.code).toBe('VENTURI_PIPELINE_SYNTAX');
    expect(error.message).toMatch(new RegExp(`^${imported}:3:18: `));
  });

  it.each([
    ['no default export', 'export const n = 3;', 'VENTURI_NO_DEFAULT_EXPORT', /none\.ts has no default export$/],
    ['a number', 'export default 3;', 'VENTURI_NOT_A_PIPELINE', /the default export of .*none\.ts is of type number/],
    ['a function that returns none', 'export default () => 3;', 'VENTURI_NOT_A_PIPELINE', /returned 3, not a pipeline/],
    [
      'a package that is not there',
      "import 'no-such-package';",
      'VENTURI_PIPELINE_IMPORT',
      /none\.ts:2:8: .*no-such-package/,
    ],
    [
      'an error at import',
      "throw new Error('at import');",
      'VENTURI_PIPELINE_IMPORT',
      /none\.ts failed .*: at import$/,
    ],
    [
      'two operators of one name',
      DEFINE("range(3).map(x => x, { name: 'a' }).map(x => x, { name: 'a' })"),
      'VENTURI_DUPLICATE_NAME',
      /two operators are called 'a' \(.*none\.ts:2 and .*none\.ts:2\)/,
    ],
    ['a name with a slash', DEFINE("range(3).map(x => x, { name: 'a/b' })"), 'VENTURI_BAD_OPTION', /'a\/b' cannot be/],
    [
      'a pipeline without parameters',
      "import { pipeline, range } from 'venturi/engine';\nexport default pipeline(import.meta, () => range(3));",
      'VENTURI_NOT_A_PIPELINE',
      /^pipeline\(\) needs import\.meta, parameters and a function$/,
    ],
    ['a fractional batch', DEFINE('range(3).batch(2.5)'), 'VENTURI_BAD_OPTION', /batch: size is 2\.5/],
    [
      'nothing for a function',
      DEFINE('range(3).map(undefined as never)'),
      'VENTURI_BAD_OPTION',
      /map\(\) needs a function, got undefined/,
    ],
    ['no function', DEFINE('range(3).map(3 as never)'), 'VENTURI_BAD_OPTION', /map\(\) needs a function, got 3/],
    ['no iterable', DEFINE('from(3 as never)'), 'VENTURI_BAD_OPTION', /from\(\) got 3, which is not iterable/],
    [
      'a repeat behind an endless one',
      DEFINE('range(3).repeat().take(5).repeat(2)'),
      'VENTURI_BAD_OPTION',
      /'range\/repeat' repeats forever/,
    ],
  ])('%s', async (_, text, code, message) => {
    const path = file('none.ts', [text]);
    for (const inline of [true, false]) {
      const error = await failureOfFile(path, inline);
      expect(error.code).toBe(code);
      expect(error.message).toMatch(message);
      expect(error.remedy).toBeTruthy();
    }
  });

  it('a file that is not there, a folder, and one of another kind', async () => {
    expect(await failureOf(loadPipeline(`${folder.path}/absent.ts`))).toMatchObject({
      code: 'VENTURI_PIPELINE_NOT_FOUND',
    });
    expect(await failureOf(loadPipeline(folder.path))).toMatchObject({ code: 'VENTURI_NOT_A_PIPELINE' });
    expect(await failureOf(loadPipeline(folder.write('a.txt', '')))).toMatchObject({ code: 'VENTURI_NOT_A_PIPELINE' });
  });

  it.each([
    ['another chain', 'isMainThread ? range(3).map(x => x) : range(3).filter(x => x > 0)'],
    ['another setting', 'range(3).batch(isMainThread ? 2 : 3)'],
    ['another function', 'range(3).map(isMainThread ? x => x : x => x + 1)'],
  ])('a graph that differs between threads: %s', async (_, build) => {
    const path = file('differs.ts', ["import { isMainThread } from 'node:worker_threads';", DEFINE(build)]);
    const error = await failureOfFile(path);
    expect(error.code).toBe('VENTURI_GRAPH_DIFFERS');
    expect(error.message).toContain(path);
    expect(error.remedy).toContain('which thread it is');
  });

  it('a file that fails to import in workers only', async () => {
    const path = file('workers.ts', [
      "import { isMainThread } from 'node:worker_threads';",
      "if (!isMainThread) throw new Error('not here');",
      DEFINE('range(3)'),
    ]);
    const error = await failureOfFile(path);
    expect(error.code).toBe('VENTURI_PIPELINE_IMPORT');
    expect(error.message).toContain(`${path} failed while it was imported: not here`);
  });

  it('a file that starts its own run', async () => {
    const { started } = await import('./fixtures/starts-itself.fixture.ts');
    const error = await within(failureOf(started.finished));
    expect(error.code).toBe('VENTURI_RUN_IN_WORKER');
    expect(error.message).toContain('starts-itself.fixture.ts');
    expect(error.remedy).toContain('a file of its own');
    expect(folder.leftovers).toEqual([]);
  });
});

describe('input that cannot be read', () => {
  const corrupt = folder.write('corrupt.jsonl', '{"a":1}\n\n{"a":2}\n{"a":\n{"a":4}\n');
  const cases: readonly [string, string, string, string][] = [
    [
      'a missing file',
      `lines('${folder.path}/absent.txt')`,
      'VENTURI_SOURCE_UNREADABLE',
      `${folder.path}/absent.txt: ENOENT`,
    ],
    [
      'a folder',
      `lines('${folder.path}')`,
      'VENTURI_SOURCE_UNREADABLE',
      `cannot read ${folder.path}: it is a folder, not a file`,
    ],
    ['a corrupt line', `jsonl('${corrupt}')`, 'VENTURI_BAD_RECORD', `${corrupt}:4 is not JSON`],
  ];
  it.each(cases)('%s', async (_, build, code, message) => {
    const path = file('reads.ts', [DEFINE(build)]);
    for (const inline of [true, false]) {
      const error = await failureOfFile(path, inline);
      expect(error.code).toBe(code);
      expect(error.message).toContain(message);
      expect(error.remedy).toBeTruthy();
    }
  });
});

describe('options of a run', () => {
  const run =
    (options: object): (() => unknown) =>
    () =>
      failing.run({ params: { name: 'sync' }, ...options });

  it.each([
    ['an unknown parameter', { params: { name: 'sync', nam: 1 } }, 'VENTURI_BAD_PARAMETER', "no parameter 'nam'"],
    [
      'one of another type',
      { params: { name: 'sync', parallelism: 'many' } },
      'VENTURI_BAD_PARAMETER',
      "'parallelism' is 'many'",
    ],
    ['a missing one', { params: {} }, 'VENTURI_BAD_PARAMETER', "parameter 'name' must be given"],
    [
      'an unknown operator',
      { set: { decode: { parallelism: 2 } } },
      'VENTURI_UNKNOWN_OPERATOR',
      "no operator 'decode'",
    ],
    [
      'threads for a source',
      { set: { range: { parallelism: 2 } } },
      'VENTURI_BAD_OPTION',
      "'range' sees all elements in order",
    ],
    ['no threads', { set: { culprit: { parallelism: 0 } } }, 'VENTURI_BAD_OPTION', "set 'culprit': parallelism is 0"],
    [
      'half a call',
      { set: { culprit: { concurrency: 0.5 } } },
      'VENTURI_BAD_OPTION',
      "set 'culprit': concurrency is 0.5",
    ],
    ['no epoch', { epochs: 0 }, 'VENTURI_BAD_OPTION', 'run: epochs is 0'],
    ['a negative seed', { seed: -1 }, 'VENTURI_BAD_OPTION', 'run: seed is -1'],
    ['no slot', { slots: 0 }, 'VENTURI_BAD_OPTION', 'run: slots is 0'],
    ['little memory', { memory: 10_000 }, 'VENTURI_BUDGET_TOO_SMALL', 'do not fit into 10000 bytes'],
  ] as const)('%s', async (_, options, code, message) => {
    const error = await failureOf(run(options));
    expect(error.code).toBe(code);
    expect(error.message).toContain(message);
    expect(error.remedy).toBeTruthy();
  });
});
