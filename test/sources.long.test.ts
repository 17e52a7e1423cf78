import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { ELEMENT_BYTES, make, makeFolder } from '../bench/sources/data.mjs';
import { Workshop } from './fixtures/workshop.ts';

const BUDGET = 32e6;
/** What threads, their code and the collector's habits may come to beyond the budget. */
const BEYOND = 20e6;
/** Far more than may be in memory; rows of text take longer. */
const BYTES = 120e6;
const TEXT_BYTES = 60e6;

const workshop = new Workshop();
afterAll(() => workshop.remove());

// The bench's own programs, on the build.
cpSync(fileURLToPath(new URL('../bench', import.meta.url)), workshop.path('bench'), {
  recursive: true,
  filter: path => !path.includes('node_modules'),
});
mkdirSync(workshop.path('node_modules'));
symlinkSync(fileURLToPath(new URL('..', import.meta.url)), workshop.path('node_modules/venturi'));

interface Measured {
  readonly baseline: number;
  readonly peak: number;
  readonly elements: number;
}

async function measure(source: string, params: Readonly<Record<string, unknown>>): Promise<Measured> {
  const args = [workshop.path('bench/sources/run.mjs'), source, String(BUDGET), JSON.stringify(params)];
  const { code, stdout, stderr } = await workshop.start(process.execPath, args).finished;
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as Measured;
}

function expectFlat({ baseline, peak, elements }: Measured, expected: number): void {
  expect(elements).toBe(expected);
  expect(peak - baseline).toBeLessThan(BUDGET + BEYOND);
}

const paths = (...list: readonly string[]): { readonly paths: string } => ({ paths: JSON.stringify(list) });

describe.runIf(process.platform === 'linux')('memory of a source under a budget', () => {
  it('stays flat for numbers and iterables', async () => {
    expectFlat(await measure('range', { count: 5e6 }), 5e6);
    expectFlat(await measure('from', { count: BYTES / ELEMENT_BYTES }), BYTES / ELEMENT_BYTES);
  });

  it.each([
    ['lines', TEXT_BYTES],
    ['jsonl', TEXT_BYTES],
    ['csv', TEXT_BYTES],
    ['tfrecords', BYTES],
    ['tfrecords-gzip', BYTES],
    ['tar', BYTES],
    ['webdataset', BYTES],
    ['parquet', BYTES],
  ])('stays flat for %s', async (source, bytes) => {
    const [small, large] = [workshop.path(`${source}.small`), workshop.path(`${source}.large`)];
    const few = make(source, small, 1);
    const many = make(source, large, bytes / 2);
    expectFlat(await measure(source, paths(small, small, small, large, large)), 3 * few + 2 * many);
  });

  it('stays flat for files of a folder and of a pattern', async () => {
    const folder = workshop.path('files');
    const count = makeFolder(folder, BYTES / 4);
    for (const source of ['files', 'glob']) {
      expectFlat(await measure(source, { ...paths(folder), passes: 4 }), 4 * count);
    }
  });

  it('stays flat for objects, however many could be fetched at once', async () => {
    const server = spawn(process.execPath, [workshop.path('bench/sources/server.mjs')]);
    try {
      const port = await new Promise<string>(resolve =>
        server.stdout.once('data', text => resolve(String(text).trim())),
      );
      const urls = (bytes: number, count: number): string[] =>
        Array.from({ length: count }, (_, at) => `http://127.0.0.1:${port}/${bytes}/${at}`);
      const all = [...urls(1000, 16), ...urls(1e6, BYTES / 1e6)];
      expectFlat(await measure('objects', paths(...all)), all.length);
    } finally {
      server.kill();
    }
  });
});
