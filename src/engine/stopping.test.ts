import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import lanes from './fixtures/lanes.fixture.ts';
import { collect, logged, threadCount, within } from './fixtures/outcome.fixture.ts';
import { ScratchFolder } from './fixtures/scratch-folder.fixture.ts';

const folder = new ScratchFolder();
let threads = 0;
beforeAll(async () => {
  await lanes.run({ params: { name: 'numbers' } }).drain();
  threads = threadCount();
});
afterEach(() => {
  expect(threadCount()).toBeLessThanOrEqual(threads);
  expect(folder.leftovers).toEqual([]);
});
afterAll(() => folder.remove());

const endless = { params: { name: 'endless', parallelism: 2 } } as const;

describe.each([
  ['on threads', {}],
  ['inline', { parallelism: 0 as const }],
])('a run %s', (_, place) => {
  it('never starts when its signal was aborted before', async () => {
    const run = lanes.run({ ...endless, ...place, signal: AbortSignal.abort() });
    expect(await within(collect(run))).toEqual([]);
    expect(await run.finished).toMatchObject({ status: 'stopped', elements: 0 });
  });

  it('ends in good order when its signal is aborted', async () => {
    const controller = new AbortController();
    const run = lanes.run({ ...endless, ...place, signal: controller.signal });
    let seen = 0;
    for await (const __ of run) if (++seen === 10) controller.abort();
    expect(seen).toBeGreaterThanOrEqual(10);
    const summary = await within(run.finished);
    expect(summary).toMatchObject({ status: 'stopped', warnings: [] });
    expect(summary.elements).toBeGreaterThanOrEqual(10);
  });

  it('takes no notice of a signal after its end', async () => {
    const controller = new AbortController();
    const run = lanes.run({ params: { name: 'numbers', count: 5 }, ...place, signal: controller.signal });
    const summary = await run.drain();
    controller.abort();
    await run.stop();
    expect(summary).toMatchObject({ status: 'completed', elements: 5 });
    expect(await run.finished).toBe(summary);
  });

  it('ends when its consumer breaks off', async () => {
    const run = lanes.run({ ...endless, ...place });
    const seen: unknown[] = [];
    for await (const element of run) {
      seen.push(element);
      if (seen.length === 100) break;
    }
    expect(seen).toEqual(Array.from({ length: 100 }, (__, x) => 2 * x));
    expect((await within(run.finished)).status).toBe('stopped');
  });

  it('can be stopped twice, and at once', async () => {
    const run = lanes.run({ ...endless, ...place });
    await within(Promise.all([run.stop(), run.stop()]));
    await run.stop();
    expect((await run.finished).status).toBe('stopped');
    expect(await collect(run)).toEqual([]);
  });

  it('can be stopped by a consumer that never read', async () => {
    const run = lanes.run({ ...endless, ...place });
    await new Promise(resolve => setTimeout(resolve, 300));
    await within(run.stop());
    expect(await run.finished).toMatchObject({ status: 'stopped', elements: 0 });
  });

  it('completes an endless source with a take', async () => {
    const run = lanes.run({ params: { name: 'endlessTaken', count: 2_500, parallelism: 2 }, ...place });
    expect(await collect(run)).toEqual(Array.from({ length: 2_500 }, (__, x) => x % 1_000));
    expect((await run.finished).status).toBe('completed');
  });

  it('answers whoever asks ahead in turn, and whoever asks after the end', async () => {
    const run = lanes.run({ params: { name: 'numbers', count: 30 }, ...place, chunkElements: 4 });
    const iterator = run[Symbol.asyncIterator]();
    const asked = await within(Promise.all(Array.from({ length: 40 }, () => iterator.next())));
    expect(asked.filter(({ done }) => done !== true).map(({ value }) => value)).toEqual(
      Array.from({ length: 30 }, (__, x) => x),
    );
    expect(await within(iterator.next())).toEqual({ value: undefined, done: true });
  });

  it('can be consumed once', async () => {
    const run = lanes.run({ params: { name: 'numbers', count: 3 }, ...place });
    await run.drain();
    await expect(run.drain()).rejects.toThrow('once');
    expect(() => run[Symbol.asyncIterator]()).toThrow('once');
  });
});

it('a function that blocks is ended after a while', async () => {
  const log = folder.write('log', '');
  const run = lanes.run({ params: { name: 'sleeps', log }, chunkElements: 1 });
  for await (const _ of run) {
    await within(logged(log, 'asleep'));
    break;
  }
  expect((await run.finished).status).toBe('stopped');
});

it('two runs at once do not disturb each other', async () => {
  const run = (count: number): Promise<unknown[]> =>
    collect(lanes.run({ params: { name: 'numbers', count, parallelism: 2 }, chunkElements: 7 }));
  const [one, two] = await Promise.all([run(500), run(300)]);
  expect(one).toEqual(Array.from({ length: 500 }, (_, x) => x));
  expect(two).toEqual(Array.from({ length: 300 }, (_, x) => x));
});

it('runs serve the requests of a server', async () => {
  const server = createServer((request, response) => {
    const count = Number(request.url?.slice(1));
    void collect(lanes.run({ params: { name: 'numbers', count } })).then(elements =>
      response.end(JSON.stringify(elements)),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const ask = async (count: number): Promise<unknown> => {
    const [response] = (await once(get(`http://127.0.0.1:${port}/${count}`), 'response')) as [IncomingMessage];
    let text = '';
    for await (const piece of response) text += piece;
    return JSON.parse(text);
  };
  try {
    const answers = await within(Promise.all([3, 1, 4].map(ask)));
    expect(answers).toEqual([[0, 1, 2], [0], [0, 1, 2, 3]]);
  } finally {
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
  }
});

it('tells how far it is while it runs', async () => {
  const run = lanes.run({ params: { name: 'numbers', count: 100 }, chunkElements: 10, slots: 1 });
  const shares: (number | undefined)[] = [];
  for await (const __ of run) shares.push(run.progress().done);
  const { elements, operators, done } = run.progress();
  expect({ elements, done }).toEqual({ elements: 100, done: 1 });
  expect(operators).toMatchObject([
    { id: 'range', elementsIn: 100, elementsOut: 100 },
    { id: 'range/map', elementsIn: 100, elementsOut: 100 },
  ]);
  expect(shares.every((share, at) => at === 0 || (share ?? 0) >= (shares[at - 1] ?? 0))).toBe(true);
  expect(run.channels().map(({ id, queued }) => [id, queued])).toEqual([
    ['range → range/map', 0],
    ['range/map → consumer', 0],
  ]);
});
