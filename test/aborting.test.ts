import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pause, Workshop } from './fixtures/workshop.ts';

/** Functions that hand their signal on to what they call: a stop makes that throw. */
const shop = new Workshop();
/** Answers some requests, and lets every tenth wait for ever. */
let requests = 0;
let isWaiting = false;
const server = createServer((_, response) => {
  if (++requests % 10 === 0) isWaiting = true;
  else setTimeout(() => response.end('1'), 1);
});

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  shop.pipeline(
    'fetching.ts',
    "range(p.n).map(get, { name: 'get', concurrency: 4 })",
    `const get = async (x: number, { signal }: { signal: AbortSignal }): Promise<number> =>
      x + Number(await (await fetch('${url}', { signal })).text());`,
    '{ n: 1e15 }',
  );
  // As above, but none waits for long: there must be something to measure.
  shop.pipeline(
    'sleeping.ts',
    "range(p.n).map(wait, { name: 'wait', concurrency: 4 })",
    `import { setTimeout } from 'node:timers/promises';
    const wait = async (x: number, { signal }: { signal: AbortSignal }): Promise<number> => setTimeout(5, x, { signal });`,
    '{ n: 1e15 }',
  );
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
  shop.remove();
});

describe.each([
  ['on threads', []],
  ['inline', ['--inline']],
])('requests under way when a run is stopped, %s', (where, flags) => {
  it('--for ends it as it should', async () => {
    const { code, stdout, stderr } = await shop.venturi('run', 'fetching.ts', '--for', '400ms', '--json', ...flags);
    expect(stderr).not.toMatch(/error|warning/);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'stopped', warnings: [] });
    expect(code).toBe(0);
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s ends it with %i, and its recording is whole', async (signal, expected) => {
    isWaiting = false;
    const name = `${signal}-${where}`.replace(' ', '-');
    const started = shop.startVenturi(['run', 'fetching.ts', '--record', name, ...flags]);
    while (!isWaiting) await pause();
    started.child.kill(signal);
    const { code, stderr } = await started.finished;
    expect(stderr).toMatch(/^interrupted: /m);
    expect(stderr).not.toMatch(/error|warning/);
    expect(code).toBe(expected);
    expect(await shop.info(name)).toMatchObject({ complete: true, status: 'interrupted', problems: [] });
  });
});

it('venturi tune ends its trials as it should', async () => {
  const { code, stderr } = await shop.venturi('tune', 'sleeping.ts', '--for', '300ms', '--rounds', '1', '--json');
  expect(stderr).not.toMatch(/AbortError/);
  expect(code).toBe(0);
});
