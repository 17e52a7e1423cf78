import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describePipeline, type RunOptions, type RunSummary, writeFileAtomically } from 'venturi/engine';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OpenSource } from './contract/source.ts';
import { failureOf, within } from './fixtures/outcome.fixture.ts';
import writing from './fixtures/writing.fixture.ts';
import { csv } from './sources/csv.ts';
import { contextWith, elementsOf } from './sources/elements.fixture.ts';
import { parquet } from './sources/parquet.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'writing-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const out = (): string => join(folder, 'out');
const written = (): string => readFileSync(out(), 'utf8');

const run = (name: string, options: RunOptions = {}, path = out()): Promise<RunSummary> =>
  within(writing.run({ ...options, params: { name, path } }).drain());

const WAYS: RunOptions[] = [{}, { parallelism: 0 }];

describe('a file of elements', () => {
  it.each(WAYS)('holds them in order (%j)', async options => {
    await run('lines', options);
    expect(written()).toBe(Array.from({ length: 20_000 }, (_, x) => `line ${x} ö\n`).join(''));
    await run('jsonl', options);
    expect(written().split('\n').slice(0, 2)).toEqual(['{"x":0,"half":0}', '{"x":1,"half":0.5}']);
    expect(readdirSync(folder)).toEqual(['out']);
  });

  it.each(WAYS)('is a table where elements have columns (%j)', async options => {
    await run('csv', options);
    expect(elementsOf(csv(out()), 1000)).toEqual(
      Array.from({ length: 20_000 }, (_, x) => ({ x: `${x}`, text: `"${x}", ö` })),
    );
    await run('parquet', options);
    const rows: unknown[] = [];
    const reader = await (parquet(out()).node.source as OpenSource)(contextWith());
    while ((await reader.read(rows, 1000)) > 0);
    await reader.close();
    expect(rows).toEqual(Array.from({ length: 20_000 }, (_, x) => ({ x, big: BigInt(x), text: `ö ${x}` })));
    expect(readdirSync(folder)).toEqual(['out']);
  });

  it('of several passes holds the last', async () => {
    await run('jsonl', { epochs: 2, parallelism: 0 });
    expect(written().split('\n')).toHaveLength(20_001);
    expect(readdirSync(folder)).toEqual(['out']);
  });

  it('has the elements counted that went into it', async () => {
    const finished = writing.run({ params: { name: 'lines', path: out() } });
    await finished.drain();
    const file = finished.progress().operators.find(({ id }) => id === 'file');
    expect(file).toMatchObject({ elementsIn: 20_000, elementsOut: 0 });
  });
});

describe('nothing is left, and what was there stays,', () => {
  beforeEach(() => writeFileSync(out(), 'before'));
  afterEach(() => {
    expect(written()).toBe('before');
    expect(readdirSync(folder)).toEqual(['out']);
  });

  it.each(WAYS)('where the run fails (%j)', async options => {
    const error = await failureOf(run('failsBefore', options));
    expect(error.code).toBe('VENTURI_USER_FUNCTION');
  });

  it('where an element has no form in JSON', async () => {
    const error = await failureOf(run('notJson'));
    expect(error.message).toContain('on element 3: TypeError: undefined has no form in JSON');
  });

  it('where an element has no place in a table', async () => {
    const error = await failureOf(run('parquetFails'));
    expect(error.message).toContain("on element 3: TypeError: column 'x' holds an array, and its type is double");
  });

  it.each(WAYS)('where it is stopped by its signal (%j)', async options => {
    const abort = new AbortController();
    const going = writing.run({ ...options, params: { name: 'lines', path: out(), count: 1e9 }, signal: abort.signal });
    const drained = going.drain();
    while ((going.progress().operators.find(({ id }) => id === 'file')?.elementsIn ?? 0) < 10_000) {
      await new Promise(resolve => setTimeout(resolve, 5));
    }
    expect(readdirSync(folder)).toHaveLength(2);
    abort.abort();
    expect(await within(drained)).toMatchObject({ status: 'stopped' });
  });
});

describe('in a trial', () => {
  it.each(WAYS)('nothing is left of what was written, and what was there stays (%j)', async options => {
    writeFileSync(out(), 'before');
    const tried = writing.run({ ...options, params: { name: 'lines', path: out() }, epochs: 2, trial: true });
    expect((await within(tried.drain())).status).toBe('completed');
    expect(tried.progress().operators.find(({ id }) => id === 'file')?.elementsIn).toBe(40_000);
    expect([written(), readdirSync(folder)]).toEqual(['before', ['out']]);
  });

  it.each(WAYS)('nothing is there even while it is written (%j)', async options => {
    const abort = new AbortController();
    const params = { name: 'lines', path: out(), count: 1e9 };
    const going = writing.run({ ...options, params, signal: abort.signal, trial: true });
    const drained = going.drain();
    while ((going.progress().operators.find(({ id }) => id === 'file')?.elementsIn ?? 0) < 10_000) {
      await new Promise(resolve => setTimeout(resolve, 5));
    }
    expect(readdirSync(folder)).toEqual([]);
    abort.abort();
    await within(drained);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('a place that cannot be written to is named as in any other run', async () => {
    const path = join(folder, 'missing', 'out');
    expect((await failureOf(run('lines', { trial: true }, path))).code).toBe('VENTURI_FILE_UNWRITABLE');
  });

  it.each(WAYS)('functions and operators are told (%j)', async options => {
    for (const trial of [true, false]) {
      await run('told', { ...options, trial });
      const lines = written().trim().split('\n');
      expect(new Set(lines)).toEqual(new Set([`function ${trial}`, `sink ${trial}`]));
      rmSync(out());
    }
  });

  it('sinks have effects unless they are known to be harmless', () => {
    const effects = (name: string): string[] =>
      describePipeline(writing, { name, path: out() }).effects.map(({ id }) => id);
    expect(effects('lines')).toEqual([]);
    expect(effects('each')).toEqual(['each']);
    expect(effects('told')).toEqual(['sink']);
  });
});

describe('a place that cannot be written to', () => {
  it.each(WAYS)('is named, with a code (%j)', async options => {
    const path = join(folder, 'missing', 'out');
    const error = await failureOf(run('lines', options, path));
    expect([error.code, error.message]).toEqual(['VENTURI_FILE_UNWRITABLE', expect.stringContaining(path)]);
    expect(() => writeFileAtomically(path, 'x')).toThrow(expect.objectContaining({ code: 'VENTURI_FILE_UNWRITABLE' }));
  });

  it('has a disk without room (skipped where a tmpfs may not be mounted)', async context => {
    const disk = join(folder, 'disk');
    mkdirSync(disk);
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=128k', 'tmpfs', disk], { stdio: 'ignore' });
    } catch {
      return context.skip('SKIPPED: a tmpfs may not be mounted here');
    }
    try {
      const error = await failureOf(run('lines', {}, join(disk, 'out')));
      expect([error.code, error.message]).toEqual(['VENTURI_FILE_UNWRITABLE', expect.stringContaining('ENOSPC')]);
      expect(error.remedy).toContain('make room');
      expect(readdirSync(disk)).toEqual([]);
    } finally {
      execFileSync('umount', [disk]);
    }
    return undefined;
  });
});

describe('writeFileAtomically', () => {
  it('can be called for every element', async () => {
    const { random } = await within(writing.run({ params: { name: 'each', path: out(), count: 20 } }).drain());
    expect(readdirSync(folder)).toHaveLength(20);
    expect(readFileSync(`${out()}.7`, 'utf8')).toBe('file 7');
    // Its temporary names are not drawn at random.
    expect(random).toEqual([]);
  });
});
