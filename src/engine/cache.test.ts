import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import cached from './fixtures/cached.fixture.ts';
import { collect, failureOf, logged, within } from './fixtures/outcome.fixture.ts';
import { ScratchFolder } from './fixtures/scratch-folder.fixture.ts';

const scratch = new ScratchFolder();
afterAll(() => scratch.remove());

let places = 0;
const newFolder = (): string => join(scratch.path, `cache-${places++}`);
const newLog = (): string => scratch.write(`log-${places++}`, '');
const linesOf = (log: string): string[] => readFileSync(log, 'utf8').split('\n').slice(0, -1);
const upTo = (count: number): number[] => Array.from({ length: count }, (_, x) => x);
const worked = ['opened', ...upTo(10).map(String)];

const INLINE = { parallelism: 0 } as const;
const WAYS = [
  ['inline', INLINE],
  ['on threads', { chunkElements: 3 }],
] as const;

/** Changes one byte of a file, `share` of its way from front to back. */
function damage(folder: string, share: number): void {
  const [name] = readdirSync(folder);
  const path = join(folder, name ?? '');
  const bytes = readFileSync(path);
  const at = Math.floor((bytes.length - 1) * share);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(path, bytes);
}

describe.each(WAYS)('%s, what stands before a cache', (_, way) => {
  it('is gone through once, however often what follows is repeated', async () => {
    for (const folder of ['', newFolder()]) {
      const log = newLog();
      const run = cached.run({ params: { name: 'thrice', log, folder }, ...way });
      expect(await collect(run)).toEqual([...upTo(10), ...upTo(10), ...upTo(10)]);
      expect(linesOf(log)).toEqual(worked);
      expect(run.progress().done).toBe(1);
    }
  });

  it('is not even set up when an earlier run left the cache on disk', async () => {
    const params = { name: 'thrice', log: newLog(), folder: newFolder() };
    await cached.run({ params, ...way }).drain();
    const run = cached.run({ params, epochs: 2, ...way });
    expect(await collect(run)).toHaveLength(60);
    expect(linesOf(params.log)).toEqual(worked);
    const [source, map, kept] = run.progress().operators;
    expect([source?.elementsOut, map?.elementsOut, kept?.elementsIn, kept?.elementsOut]).toEqual([0, 0, 60, 60]);
    expect(run.progress().done).toBe(1);
  });

  it('is read no further than someone wants, and nothing of it is kept on disk then', async () => {
    const params = { name: 'cut', count: 1e9, log: newLog(), folder: newFolder() };
    expect(await within(collect(cached.run({ params, ...way, chunkElements: 2 })))).toEqual([
      ...upTo(4),
      ...upTo(4),
      ...upTo(4),
    ]);
    expect(readdirSync(params.folder)).toEqual([]);
  });

  it('may have a cache before it as well', async () => {
    const params = { name: 'twoCaches', log: newLog(), folder: newFolder() };
    const expected = [1, 2, 3, 4].flatMap(() => upTo(10).map(x => x + 1));
    expect(await collect(cached.run({ params, ...way }))).toEqual(expected);
    expect(readdirSync(params.folder)).toHaveLength(2);
    expect(await collect(cached.run({ params, ...way }))).toEqual(expected);
    expect(linesOf(params.log)).toEqual(worked);
  });
});

describe('elements that are kept', () => {
  it.each(['', 'on disk'])('do not change when a function changes those it is given %s', async where => {
    const params = { name: 'spoilt', count: 3, folder: where === '' ? '' : newFolder() };
    const pass = upTo(3).map(x => ({ x: -x, list: [x, -1] }));
    expect(await collect(cached.run({ params, ...INLINE }))).toEqual([...pass, ...pass]);
  });

  it('are as many as the limit allows', async () => {
    const failure = await failureOf(
      cached.run({ params: { name: 'large', count: 100, limit: 500_000 }, ...INLINE, chunkElements: 1 }).drain(),
    );
    expect(failure.code).toBe('VENTURI_CACHE_FULL');
    expect(failure.message).toBe("'kept' would keep 0.5 MiB after 50 elements, and its limit is 0.5 MiB");
    expect(failure.remedy).toContain('cache({ folder })');
  });

  it("are as many as the run's memory allows, where nothing else is said, or the disk", async () => {
    const memory = 2 ** 19;
    const params = { name: 'large', count: 100 };
    expect((await failureOf(cached.run({ params, memory }).drain())).code).toBe('VENTURI_CACHE_FULL');
    const onDisk = cached.run({ params: { ...params, folder: newFolder() }, memory });
    expect(await collect(onDisk)).toEqual([...upTo(100), ...upTo(100)].map(x => x * 10_000));
  });

  it('are limited on disk as well, if so wished, and leave nothing behind', async () => {
    const folder = newFolder();
    const params = { name: 'large', count: 100, limit: 500_000, folder };
    expect((await failureOf(cached.run({ params }).drain())).code).toBe('VENTURI_CACHE_FULL');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('are plain data', async () => {
    const failure = await failureOf(cached.run({ params: { name: 'uncloneable' }, ...INLINE }).drain());
    expect(failure.code).toBe('VENTURI_NOT_CLONEABLE');
    expect(failure.message).toContain("'kept' cannot keep what it is given");
  });

  it('are recorded as an operator with its settings', () => {
    const { graph } = cached.run({ params: { name: 'once', folder: 'there', limit: 5 }, ...INLINE });
    expect(graph.operators[2]).toMatchObject({
      id: 'kept',
      kind: 'cache',
      settings: { folder: 'there', limit: 5 },
      sequential: true,
    });
  });
});

describe.each(WAYS)('%s, a cache on disk', (_, way) => {
  it('that breaks off is told of and made anew', async () => {
    const params = { name: 'once', log: newLog(), folder: newFolder() };
    await cached.run({ params, ...way }).drain();
    const path = join(params.folder, readdirSync(params.folder)[0] ?? '');
    truncateSync(path, statSync(path).size - 1);
    const run = cached.run({ params, ...way });
    expect(await collect(run)).toEqual(upTo(10));
    const [warning] = (await run.finished).warnings;
    expect(warning).toMatch(/^'kept' is made anew: .*\.cache was damaged \(.*\) and has been removed$/);
    expect(linesOf(params.log)).toEqual([...worked, ...worked]);
    const again = cached.run({ params, ...way });
    expect(await collect(again)).toEqual(upTo(10));
    expect((await again.finished).warnings).toEqual([]);
  });

  it.each([0, 0.01, 0.02, 1])('that is damaged %d of the way is found out before anything is given', async share => {
    const params = { name: 'large', count: 30, folder: newFolder() };
    await cached.run({ params, ...way }).drain();
    damage(params.folder, share);
    const run = cached.run({ params, ...way });
    expect(await collect(run)).toEqual([...upTo(30), ...upTo(30)].map(x => x * 10_000));
    expect((await run.finished).warnings).toHaveLength(1);
  });

  it('that is damaged further on ends the run, and is gone for the next one', async () => {
    const params = { name: 'large', count: 30, folder: newFolder() };
    await cached.run({ params, ...way }).drain();
    damage(params.folder, 0.9);
    const failure = await failureOf(cached.run({ params, ...way }).drain());
    expect(failure.code).toBe('VENTURI_CACHE_DAMAGED');
    expect(readdirSync(params.folder)).toEqual([]);
    expect(await collect(cached.run({ params, ...way }))).toHaveLength(60);
  });

  it('may be written by two runs at once', async () => {
    const params = { name: 'thrice', count: 500, log: newLog(), folder: newFolder() };
    const runs = [cached.run({ params, ...way }), cached.run({ params, ...way })];
    const expected = [...upTo(500), ...upTo(500), ...upTo(500)];
    expect(await Promise.all(runs.map(collect))).toEqual([expected, expected]);
    expect(readdirSync(params.folder)).toEqual([expect.stringMatching(/^[0-9a-f]{32}\.cache$/)]);
    expect(await collect(cached.run({ params, ...way }))).toEqual(expected);
  });

  it('is not kept where files change while they are read', async () => {
    const file = scratch.write(`changing-${places++}`, 'a\nb\n');
    const params = { name: 'changing', file, folder: newFolder() };
    const run = cached.run({ params, ...way });
    expect(await collect(run)).toEqual(['a', 'b', 'a', 'b']);
    expect((await run.finished).warnings).toEqual([
      `files changed while they were read, so ${params.folder} keeps nothing of this run`,
    ]);
    expect(readdirSync(params.folder)).toEqual([]);
  });

  it('is made for a source that cannot be told apart only where its author vouches for it', async () => {
    const folder = newFolder();
    const failure = await failureOf(cached.run({ params: { name: 'iterable', folder }, ...way }).drain());
    expect(failure.code).toBe('VENTURI_CACHE_UNKEYED');
    expect(failure.remedy).toContain('version');
    expect(await collect(cached.run({ params: { name: 'vouchedFor', folder }, ...way }))).toEqual([1, 2, 3]);
    expect(readdirSync(folder)).toHaveLength(1);
  });
});

describe('a cache on disk', () => {
  it('is another for other parameters and other files, and the same otherwise', async () => {
    const file = scratch.write('counted', 'a\nb\n');
    const params = { name: 'fromFile', file, log: newLog(), folder: newFolder() };
    const works = async (changed: object, options: object = {}): Promise<string[]> => {
      writeFileSync(params.log, '');
      await cached.run({ params: { ...params, ...changed }, ...INLINE, ...options }).drain();
      return linesOf(params.log).slice(1);
    };
    expect(await works({})).toEqual(['a', 'b']);
    expect(await works({})).toEqual([]);
    expect(await works({}, { memory: 2 ** 20, chunkElements: 7, epochs: 2 })).toEqual([]);
    expect(await works({ count: 11 })).toEqual(['a', 'b']);
    utimesSync(file, new Date(1e12), new Date(1e12));
    expect(await works({})).toEqual(['a', 'b']);
    writeFileSync(file, 'a\nb\nc\n');
    utimesSync(file, new Date(1e12), new Date(1e12));
    expect(await works({})).toEqual(['a', 'b', 'c']);
    expect(await works({})).toEqual([]);
  });

  it('leaves nothing behind when the run is stopped', async () => {
    const params = { name: 'once', count: 1e6, log: newLog(), folder: newFolder() };
    for await (const _ of cached.run({ params, chunkElements: 5 })) break;
    expect(readdirSync(params.folder)).toEqual([]);
  });

  it('in a folder that cannot be made is refused', async () => {
    const folder = join(scratch.write('a-file', ''), 'inside');
    const failure = await failureOf(cached.run({ params: { name: 'once', folder, log: newLog() }, ...INLINE }).drain());
    expect(failure.code).toBe('VENTURI_CACHE_UNUSABLE');
  });
});

describe('a process that writes a cache', () => {
  const program = (params: object): string => `
    import { loadPipeline } from 'venturi/engine';
    const { definition } = await loadPipeline(${JSON.stringify(new URL('./fixtures/cached.fixture.ts', import.meta.url).pathname)});
    await definition.run({ params: ${JSON.stringify(params)}, parallelism: 0 }).drain()
      .catch(error => console.log(error.code, error.message));`;
  const cwd = new URL('../..', import.meta.url).pathname;

  it('and is killed leaves a draft, which the next run removes', async () => {
    const params = { name: 'slow', count: 300, log: newLog(), folder: newFolder() };
    const child = spawn(process.execPath, ['--input-type=module', '-e', program(params)], { cwd, stdio: 'ignore' });
    await within(logged(params.log, '20\n'));
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(readdirSync(params.folder)).toEqual([expect.stringMatching(/\.draft$/)]);
    const next = { ...params, count: 3 };
    expect(await collect(cached.run({ params: next, ...INLINE }))).toHaveLength(3);
    expect(readdirSync(params.folder)).toEqual([expect.stringMatching(/\.cache$/)]);
  });

  it('and finds no room says so and leaves nothing behind', () => {
    const params = { name: 'large', count: 100, folder: newFolder() };
    mkdirSync(params.folder);
    // Files of this process may have 256 KiB.
    const limited = ['-c', 'ulimit -f 256; exec "$0" --input-type=module -e "$1"', process.execPath, program(params)];
    expect(execFileSync('bash', limited, { cwd, encoding: 'utf8' })).toMatch(/^VENTURI_CACHE_UNUSABLE .*EFBIG/);
    expect(readdirSync(params.folder)).toEqual([]);
  });
});
