import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getEnvironmentData, Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { AsyncCalls } from '../../engine/runtime/calls/async-calls.ts';
import { limited, limitedStorage, type WaitingClock } from './limited.ts';
import { localStorage } from './local.ts';
import { allocateLine, SharedLine } from './shared-line.ts';

const folder = mkdtempSync(join(tmpdir(), 'limited-test-'));
const small = join(folder, 'small');
const large = join(folder, 'large');
writeFileSync(small, Buffer.alloc(1_000, 1));
writeFileSync(large, Buffer.alloc(10_000, 2));
afterAll(() => rmSync(folder, { recursive: true }));

/** Time moves only when somebody sleeps, and by `late` more than asked for. */
class FakeClock implements WaitingClock {
  time = 1_000_000_000n;
  late = 0n;

  now(): bigint {
    return this.time;
  }

  waitUntil(time: bigint): void {
    if (time > this.time) this.time = time + this.late;
  }

  readonly #asleep: { readonly until: bigint; readonly wake: () => void }[] = [];
  /** Most that slept at once. */
  most = 0;

  sleepUntil(until: bigint): Promise<void> {
    return new Promise(wake => {
      this.#asleep.push({ until, wake });
      this.most = Math.max(this.most, this.#asleep.length);
    });
  }

  /** Wakes who sleeps in the order of time, whenever all `underway` do, until `over` has come. */
  async run(over: Promise<unknown>, underway: () => number): Promise<void> {
    let ended = false;
    const end = (): void => {
      ended = true;
    };
    over.then(end, end);
    while (!ended) {
      // The others read for real, which takes as long as it takes.
      await new Promise(resolve => setImmediate(resolve));
      if (this.#asleep.length === 0 || this.#asleep.length < underway()) continue;
      this.#asleep.sort((a, b) => (a.until < b.until ? -1 : 1));
      const next = this.#asleep.shift();
      this.waitUntil(next?.until ?? 0n);
      next?.wake();
      // Whoever was woken asks for the next one.
      await new Promise(resolve => setImmediate(resolve));
    }
    await over;
  }
}

let devices = 0;
const fresh = (): { device: string } => ({ device: `test ${devices++}` });
const MS = 1_000_000n;

describe('a line shared by threads', () => {
  it('serves requests that meet one after the other, and one that finds it free at once', () => {
    const line = new SharedLine(allocateLine(), 1_000_000);
    expect(line.book(1_000, 5n * MS)).toBe(6n * MS);
    expect(line.book(2_000, 5n * MS)).toBe(8n * MS);
    expect(line.book(1_000, 20n * MS)).toBe(21n * MS);
  });

  it('never gives more than its bandwidth, and is never idle while someone waits', () => {
    const requests = fc.array(fc.record({ bytes: fc.nat(100_000), gap: fc.nat(1_000_000) }), { minLength: 1 });
    fc.assert(
      fc.property(requests, fc.integer({ min: 1, max: 1_000_000_000 }), (list, bytesPerSecond) => {
        const line = new SharedLine(allocateLine(), bytesPerSecond);
        let now = 1n;
        let free = 0n;
        for (const { bytes, gap } of list) {
          now += BigInt(gap);
          const start = free > now ? free : now;
          free = start + BigInt(Math.ceil((bytes * 1e9) / bytesPerSecond));
          expect(line.book(bytes, now)).toBe(free);
        }
      }),
    );
  });

  it('is one line for everybody who has its memory', () => {
    const memory = allocateLine();
    new SharedLine(memory, 1_000_000).book(1_000, 0n);
    expect(new SharedLine(memory, 1_000_000).book(1_000, 0n)).toBe(2n * MS);
  });
});

describe('limited storage', () => {
  it('gives the real bytes after the time they take at its bandwidth', () => {
    const clock = new FakeClock();
    const storage = limited({ bytesPerSecond: 1_000_000, ...fresh() }, clock);
    const start = clock.time;
    expect(storage.readFile(small)).toEqual(localStorage.readFile(small));
    expect(clock.time - start).toBe(1n * MS);
    storage.readFile(large);
    expect(clock.time - start).toBe(11n * MS);
  });

  it('makes up for late wake-ups, not for time in which nothing was asked', () => {
    const clock = new FakeClock();
    const storage = limited({ bytesPerSecond: 1_000_000, ...fresh() }, clock);
    const start = clock.time;
    clock.late = MS / 10n;
    for (let i = 0; i < 100; i++) storage.readFile(small);
    expect(clock.time - start).toBe(100n * MS + MS / 10n);

    clock.late = 0n;
    storage.readFile(small);
    clock.time += 500n * MS;
    const later = clock.time;
    storage.readFile(small);
    expect(clock.time - later).toBe(1n * MS);
  });

  it('adds a latency to each request that depends on seed, file and position alone', () => {
    const took = (seed: number, path: string): bigint => {
      const clock = new FakeClock();
      const before = clock.time;
      limited({ bytesPerSecond: 1e12, latencyMs: 10, seed, ...fresh() }, clock).readFile(path);
      return clock.time - before;
    };
    expect(took(1, small)).toBe(took(1, small));
    expect(took(1, small)).not.toBe(took(2, small));
    expect(took(1, small)).not.toBe(took(1, large));
    for (let seed = 0; seed < 50; seed++) {
      expect(took(seed, small)).toBeGreaterThanOrEqual(5n * MS);
      expect(took(seed, small)).toBeLessThanOrEqual(15n * MS + 1000n);
    }
  });

  it('comes close to its bandwidth where an async map has enough requests under way', async () => {
    const files = Array.from({ length: 200 }, () => large);
    const timeOf = async (concurrency: number): Promise<{ readonly ms: number; readonly most: number }> => {
      const clock = new FakeClock();
      const storage = limited({ bytesPerSecond: 10_000_000, latencyMs: 10, ...fresh() }, clock);
      const start = clock.time;
      let underway = 0;
      const calls = new AsyncCalls(async path => {
        underway++;
        const { length } = await storage.readFileAsync(String(path));
        underway--;
        return length;
      }, concurrency);
      const lengths: unknown[] = [];
      const readAll = async (): Promise<void> => {
        calls.add({ values: files, sequence: [], sub: [] }, files.length);
        while (!calls.empty) {
          await calls.progress(true);
          lengths.push(...calls.take().values);
        }
      };
      await clock.run(readAll(), () => underway);
      expect(new Set(lengths)).toEqual(new Set([10_000]));
      return { ms: Number(clock.time - start) / 1e6, most: clock.most };
    };
    // 2 MB at 10 MB/s are 200 ms; alone, each file would wait for its latency as well.
    const one = await timeOf(1);
    expect(one.most).toBe(1);
    expect(one.ms).toBeGreaterThan(1000);
    const many = await timeOf(16);
    expect(many.most).toBe(16);
    expect(many.ms).toBeGreaterThanOrEqual(200);
    expect(many.ms).toBeLessThan(220);
  });

  it('lets latencies of several requests overlap: the line stays free meanwhile', () => {
    const options = { bytesPerSecond: 1_000_000, latencyMs: 100, ...fresh() };
    const [first, second] = [new FakeClock(), new FakeClock()];
    limited(options, first).readFile(small);
    limited(options, second).readFile(small);
    expect(second.time - first.time).toBe(1n * MS);
  });

  it('charges latency once for reads that go on where the last one ended', () => {
    const clock = new FakeClock();
    const file = limited({ bytesPerSecond: 1e12, latencyMs: 10, ...fresh() }, clock).open(large);
    const cost = (position: number): bigint => {
      const before = clock.time;
      expect(file.read(new Uint8Array(1_000), position)).toBe(1_000);
      return clock.time - before;
    };
    expect(cost(0)).toBeGreaterThan(5n * MS);
    expect(cost(1_000)).toBeLessThan(MS);
    expect(cost(5_000)).toBeGreaterThan(5n * MS);
    expect(file.read(new Uint8Array(1_000), 9_500)).toBe(500);
    expect(file.size).toBe(10_000);
    file.close();
  });

  it('is one device for all threads that make it with the same options', async () => {
    const options = { bytesPerSecond: 123_456, latencyMs: 1, seed: 7 };
    limitedStorage(options);
    const key = JSON.stringify(['venturi:storage', 123_456, 1e6, 7, '']);
    const memory = getEnvironmentData(key);
    expect(memory).toBeInstanceOf(SharedArrayBuffer);
    const code = `
      const { getEnvironmentData } = require('node:worker_threads');
      Atomics.store(new BigInt64Array(getEnvironmentData(${JSON.stringify(key)})), 0, 42n);`;
    await new Promise(resolve => new Worker(code, { eval: true }).on('exit', resolve));
    expect(new BigInt64Array(memory as unknown as SharedArrayBuffer)[0]).toBe(42n);
  });

  it.each([
    [{ bytesPerSecond: 0 }, 'bytesPerSecond'],
    [{ bytesPerSecond: Number.NaN }, 'bytesPerSecond'],
    [{ bytesPerSecond: 1, latencyMs: -1 }, 'latencyMs'],
  ])('refuses %j', (options, option) => {
    expect(() => limitedStorage(options)).toThrow(
      expect.objectContaining({ code: 'VENTURI_BAD_OPTION', message: expect.stringContaining(option) }),
    );
  });
});

describe('local storage', () => {
  it('reads at any position, and fewer bytes at the end only', () => {
    const file = localStorage.open(large);
    const into = new Uint8Array(10_001);
    expect(file.read(into, 0)).toBe(10_000);
    expect(into[9_999]).toBe(2);
    expect(file.read(into, 9_999)).toBe(1);
    expect(file.read(into, 10_000)).toBe(0);
    file.close();
    file.close();
  });

  it.each(['readFile', 'open'] as const)('%s names a file that is missing', method => {
    expect(() => localStorage[method](join(folder, 'none'))).toThrow(
      expect.objectContaining({ code: 'VENTURI_SOURCE_UNREADABLE', message: expect.stringContaining('none') }),
    );
  });

  it.skipIf(process.getuid?.() === 0)('names a file it may not read', () => {
    const secret = join(folder, 'secret');
    writeFileSync(secret, 'x', { mode: 0 });
    expect(() => localStorage.open(secret)).toThrow(expect.objectContaining({ code: 'VENTURI_SOURCE_UNREADABLE' }));
  });
});
