import { describe, expect, it } from 'vitest';
import { ProcessSampler, parseIo } from './process-sampler.ts';

const io = (asked: number, fetched: number, written: number): string =>
  `rchar: ${asked}\nwchar: 6\nsyscr: 12\nsyscw: 1\nread_bytes: ${fetched}\nwrite_bytes: ${written}\ncancelled_write_bytes: 5\n`;

describe('parseIo', () => {
  it('reads the three counts', () => expect(parseIo(io(1, 2, 3))).toEqual({ asked: 1, fetched: 2, written: 3 }));
  it('knows nothing from a text without them', () => expect(parseIo('rchar: 7\n')).toBeUndefined());
});

describe('ProcessSampler', () => {
  it('counts totals from its first sample, without its own readings', () => {
    const first = io(10_000, 4096, 0);
    // Since then the program asked for 500 bytes; the kernel also counted the sampler's first reading.
    const texts = [first, io(10_000 + first.length + 500, 8192, 4096)];
    const cpu = [3e9, 3.001e9];
    const sampler = new ProcessSampler(
      () => texts.shift(),
      () => ({ cpu: cpu.shift() ?? 0, resident: 77 }),
    );
    expect(sampler.sample()).toEqual({
      processCpu: 0,
      residentMemory: 77,
      storageAsked: 0,
      storageRead: 0,
      storageWritten: 0,
    });
    expect(sampler.sample()).toEqual({
      processCpu: 1e6,
      residentMemory: 77,
      storageAsked: 500,
      storageRead: 4096,
      storageWritten: 4096,
    });
  });

  it('leaves storage unknown where there is no /proc', () => {
    expect(new ProcessSampler(() => undefined).sample()).toMatchObject({
      storageAsked: undefined,
      storageRead: undefined,
      storageWritten: undefined,
    });
  });

  it('samples the process it runs in', () => {
    const sampler = new ProcessSampler();
    sampler.sample();
    const { processCpu, residentMemory } = sampler.sample();
    expect(processCpu).toBeGreaterThan(0);
    expect(residentMemory).toBeGreaterThan(2 ** 20);
  });
});
