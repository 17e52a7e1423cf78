import { getEventListeners, once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Run, RunOptions } from './contract/run.ts';
import aborting from './fixtures/aborting.fixture.ts';
import { failureOf, logged, threadCount, within } from './fixtures/outcome.fixture.ts';
import { ScratchFolder } from './fixtures/scratch-folder.fixture.ts';

const folder = new ScratchFolder();
/** Accepts requests, and never answers. */
let server: Server;
let threads = 0;
const unhandled: unknown[] = [];
const note = (reason: unknown): void => void unhandled.push(reason);

beforeAll(async () => {
  process.on('unhandledRejection', note);
  server = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(server, 'listening');
  await aborting
    .run({ params: { name: 'ownTimeout', log: folder.write('log', '') } })
    .drain()
    .catch(() => undefined);
  threads = threadCount();
});
afterEach(() => {
  expect(unhandled).toEqual([]);
  expect(threadCount()).toBeLessThanOrEqual(threads);
});
afterAll(() => {
  process.off('unhandledRejection', note);
  server.closeAllConnections();
  server.close();
  folder.remove();
});

let count = 0;

/** Begins a case and gives its run when a function waits. */
async function begun(
  name: string,
  options: RunOptions,
  parallelism = 0,
  chunkElements = 1,
): Promise<{ run: Run<unknown>; drained: Promise<unknown>; target: string }> {
  const log = folder.write(`log${count++}`, '');
  const { port } = server.address() as AddressInfo;
  const target = name === 'fetch' ? `http://127.0.0.1:${port}/` : join(folder.path, `target${count}`);
  const run = aborting.run({
    ...options,
    params: { name, log, target, parallelism },
    chunkElements,
  });
  const drained = run.drain();
  drained.catch(() => undefined);
  await within(logged(log, 'waiting'));
  return { run, drained, target };
}

async function stopped(
  name: string,
  options: RunOptions,
  stop: (run: Run<unknown>) => unknown,
  parallelism = 0,
): Promise<unknown> {
  const { run, drained } = await begun(name, options, parallelism);
  await stop(run);
  expect(await within(drained)).toBe(await run.finished);
  return run.finished;
}

const PLACES = [
  ['inline', { parallelism: 0 as const }, 0],
  ['in the source’s thread', {}, 0],
  ['in two threads', {}, 2],
] as const;

const ANSWERS = [
  'reason',
  'fromNode',
  'fetch',
  'wrapped',
  'aggregate',
  'checked',
  'either',
  'skipped',
  'retried',
  'sink',
  'source',
  'opening',
  'operator',
  'setup',
  'closing',
  'inner',
  'innerSource',
] as const;

describe.each(PLACES)('an abort that answers the run’s signal, %s', (_, place, parallelism) => {
  it.each(parallelism === 2 ? ['reason', 'closing'] : ANSWERS)('is the stop: %s', async name => {
    const summary = await stopped(name, place, run => run.stop(), parallelism);
    expect(summary).toMatchObject({ status: 'stopped', warnings: [] });
  });

  it('is the stop where another signal asked for it', async () => {
    const controller = new AbortController();
    const options = { ...place, signal: controller.signal };
    const summary = await stopped('fetch', options, () => controller.abort(new Error('enough')), parallelism);
    expect(summary).toMatchObject({ status: 'stopped', warnings: [] });
  });

  it('gives up no element', async () => {
    const deadLetter = join(folder.path, `letters${count}`);
    await stopped('skipped', { ...place, deadLetter }, run => run.stop(), parallelism);
    expect(existsSync(deadLetter)).toBe(false);
  });
});

describe.each(PLACES.slice(0, 2))('what ends because of a stop, %s', (_, place, parallelism) => {
  it.each(['returning', 'innerReturning'])('has not come to its end: %s', async name => {
    const { run, drained, target } = await begun(name, place, parallelism);
    writeFileSync(target, 'before');
    await run.stop();
    expect(await within(drained)).toMatchObject({ status: 'stopped' });
    expect(readFileSync(target, 'utf8')).toBe('before');
  });
});

describe.each(PLACES)('what is no answer to a stop, %s', (_, place, parallelism) => {
  it('is told as a warning where it came after the stop', async () => {
    const summary = await stopped('afterStop', place, run => run.stop(), parallelism);
    expect(summary).toMatchObject({ status: 'stopped' });
    const { warnings } = summary as { warnings: string[] };
    expect(warnings.length).toBeGreaterThan(0);
    for (const warning of warnings) {
      expect(warning).toMatch(/^'culprit' threw on element \d: RangeError: half a page; .* asked to stop/);
    }
  });

  it.each([
    ['beforeStop', 'RangeError: no one'],
    ['abortBeforeStop', 'AbortError: This operation was aborted'],
  ])('stays a failure where it came before: %s', async (name, message) => {
    // Both calls are made from one chunk: the one that fails has failed when the other waits.
    const { run, drained } = await begun(name, place, parallelism, 10);
    void run.stop();
    expect((await within(failureOf(drained))).message).toBe(`'culprit' threw on element 0: ${message}`);
    await expect(run.finished).rejects.toThrow(message);
  });

  it('stays a failure where nobody asked it to stop', async () => {
    const log = folder.write(`log${count++}`, '');
    const run = aborting.run({ ...place, params: { name: 'ownTimeout', log, parallelism } });
    const error = await within(failureOf(run.drain()));
    expect(error.message).toMatch(/^'culprit' threw on element \d: AbortError/);
  });

  it('stays a failure where something cannot be closed', async () => {
    const { run, drained } = await begun('closingFails', place, parallelism);
    void run.stop();
    expect((await within(failureOf(drained))).message).toBe("'culprit' threw: RangeError: cannot close");
  });
});

describe.each(PLACES)('a consumer that has enough, %s', (_, place, parallelism) => {
  it('leaves its loop while calls wait', async () => {
    const log = folder.write(`log${count++}`, '');
    const run = aborting.run({ ...place, params: { name: 'reason', log, parallelism }, chunkElements: 1 });
    for await (const element of run) {
      expect(element).toBe(0);
      if (!('parallelism' in place)) await within(logged(log, 'waiting'));
      break;
    }
    expect(await within(run.finished)).toMatchObject({ status: 'stopped', warnings: [] });
  });
});

it('a take that is full ends the calls before it', async () => {
  const log = folder.write(`log${count++}`, '');
  const run = aborting.run({ params: { name: 'takenEarly', log, parallelism: 1 }, chunkElements: 1 });
  expect(await within(run.drain())).toMatchObject({ status: 'completed', elements: 1, warnings: [] });
});

it('a server that stops many runs by one signal keeps nothing of them', async () => {
  const controller = new AbortController();
  for (const [, place, parallelism] of PLACES) {
    const options = { ...place, signal: controller.signal };
    const stop = (): Promise<unknown> => stopped('reason', options, run => run.stop(), parallelism);
    await Promise.all([stop(), stop(), stop()]);
  }
  expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
});

it('any number of functions may listen for the stop, without a warning by Node', async () => {
  const warnings: string[] = [];
  const warned = ({ message }: Error): void => void warnings.push(message);
  process.on('warning', warned);
  try {
    await aborting.run({ parallelism: 0, params: { name: 'manyFunctions' } }).drain();
    // Node tells of them in its own time.
    await new Promise(resolve => setImmediate(resolve));
  } finally {
    process.off('warning', warned);
  }
  expect(warnings).toEqual([]);
});
