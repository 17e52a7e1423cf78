import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openThreadClock } from './thread-clock.ts';

const here = openThreadClock();
here.close();
const hasSchedstat = here.source === 'schedstat';
const folder = mkdtempSync(join(tmpdir(), 'venturi-clock-'));
const module = join(folder, 'thread-clock.mjs');

beforeAll(async () => {
  const entry = fileURLToPath(new URL('./thread-clock.ts', import.meta.url));
  await build({ entryPoints: [entry], outfile: module, bundle: true, format: 'esm', platform: 'node' });
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A thread's program: `body`, with `clock` opened there; it posts its answer. */
const programOf = (body: string): string => `
    const { parentPort } = require('node:worker_threads');
    import(${JSON.stringify(module)}).then(({ openThreadClock }) => {
      const clock = openThreadClock();
      const processCpu = () => { const { user, system } = process.cpuUsage(); return (user + system) * 1000; };
      const burn = ns => { const until = processCpu() + ns; while (processCpu() < until); };
      ${body}
    });`;

const inThread = <T>(body: string): Promise<T> =>
  new Promise((resolve, reject) => {
    new Worker(programOf(body), { eval: true }).once('message', resolve).once('error', reject);
  });

/** In the only thread that works in its process: this one has others, which compile and collect what earlier tests left. */
function inProcess<T>(body: string): T {
  const started = `new (require('node:worker_threads').Worker)(${JSON.stringify(programOf(body))}, { eval: true })`;
  const script = `${started}.once('message', answer => console.log(JSON.stringify(answer)));`;
  return JSON.parse(execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' }));
}

describe.runIf(hasSchedstat)('the schedstat clock', () => {
  it('agrees with the process when one thread alone works', () => {
    const measured = inProcess<{ thread: number; process: number }>(`
      burn(2e7);
      clock.read(); const before = clock.cpu; const from = processCpu();
      burn(1.5e8);
      clock.read(); parentPort.postMessage({ thread: clock.cpu - before, process: processCpu() - from });`);
    expect(measured.thread / measured.process).toBeGreaterThan(0.9);
    expect(measured.thread / measured.process).toBeLessThan(1.1);
  });

  it('does not count a neighbour thread or a wait', async () => {
    const sleeper = inThread<number>(`
      const word = new Int32Array(new SharedArrayBuffer(4));
      Atomics.wait(word, 0, 0, 1);
      clock.read(); const before = clock.cpu;
      Atomics.wait(word, 0, 0, 300);
      clock.read(); parentPort.postMessage(clock.cpu - before);`);
    await inThread('burn(1e8); parentPort.postMessage(0);');
    expect(await sleeper).toBeLessThan(2e7);
  });

  it('sees stretches far below the scheduler tick', () => {
    const clock = openThreadClock();
    expect(clock.exact).toBe(true);
    const stretches = Array.from({ length: 100 }, () => {
      const before = clock.cpu;
      for (let i = 0; i < 20; i++) process.cpuUsage();
      clock.read();
      return clock.cpu - before;
    });
    clock.close();
    expect(stretches.filter(stretch => stretch <= 0)).toEqual([]);
  });

  it('keeps its last figures once closed', () => {
    const clock = openThreadClock();
    const { cpu } = clock;
    clock.close();
    clock.read();
    expect(clock.cpu).toBe(cpu);
  });
});

describe('where there is no schedstat', () => {
  const schedstat = join(folder, 'absent');

  it("asks the runtime's thread usage", () => {
    let user = 100;
    const clock = openThreadClock({ schedstat, threadCpuUsage: () => ({ user: user++, system: 50 }) });
    clock.read();
    expect(clock).toMatchObject({ source: 'threadCpuUsage', exact: true, cpu: (user - 1 + 50) * 1000, runnable: 0 });
  });

  it('says that a clock which stands still is not exact', () => {
    const clock = openThreadClock({ schedstat, threadCpuUsage: () => ({ user: 4000, system: 0 }) });
    expect(clock.exact).toBe(false);
  });

  it('estimates by the wall clock less the known waits, and never falls back', () => {
    let waited = 1e15;
    const clock = openThreadClock({ schedstat, threadCpuUsage: undefined, waited: () => waited });
    clock.read();
    const { cpu } = clock;
    expect(clock).toMatchObject({ source: 'wall', exact: false });
    expect(cpu).toBeGreaterThanOrEqual(0);
    waited += 1e12;
    clock.read();
    expect(clock.cpu).toBe(cpu);
  });

  it('does not believe a kernel that counts nothing', () => {
    const zeros = join(folder, 'zeros');
    writeFileSync(zeros, '0 0 0\n');
    expect(openThreadClock({ schedstat: zeros, threadCpuUsage: undefined }).source).toBe('wall');
  });
});
