import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { diagnose } from 'venturi';
import type { RunOptions } from 'venturi/engine';
import { recordRun } from 'venturi/record';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OperatorSize } from '../src/analysis/sizes/sizes.ts';
import sizes from './fixtures/sizes.ts';

/** Lines of a file that every thread reads in many chunks. */
const LINES = 20_000;
const folder = mkdtempSync(join(tmpdir(), 'sizes-'));
const file = join(folder, 'lines.txt');
let recorded = 0;

beforeAll(() =>
  writeFileSync(file, Array.from({ length: LINES }, (_, at) => `line ${String(at).padStart(8, '0')}\n`).join('')),
);
afterAll(() => rmSync(folder, { recursive: true }));

/** Sizes by operator of a recorded run; `until` stops it when so many elements have come. */
async function sizesOf(
  name: string,
  options: RunOptions = {},
  until = Number.POSITIVE_INFINITY,
): Promise<(operator: string) => OperatorSize | undefined> {
  const recording = join(folder, `${++recorded}.venturi`);
  const run = recordRun(recording, sizes, { ...options, params: { name, file, folder: join(folder, 'cache') } });
  let count = 0;
  for await (const _ of run) if (++count >= until) break;
  await run.finished;
  await new Promise(resolve => setImmediate(resolve));
  const { sizes: found } = await diagnose(recording);
  return operator => found.find(({ id }) => id === operator);
}

/** Without doubt, whatever the level of the interval. */
const about = (elements: number) => {
  const close = Number.isFinite(elements) ? expect.closeTo(elements, 3) : elements;
  return { estimate: close, low: close, high: close, confidence: expect.any(Number) };
};
const exactly = (elements: number) => ({ ...about(elements), confidence: 1 });

describe('sizes of a run that went to its end are what there was', () => {
  it.each([
    ['once', {}, { all: 1, end: 1 }],
    ['once', { epochs: 3 }, { all: 1, end: 1, epochs: 3 }],
    ['repeated', {}, { all: 1, long: 1, end: 3 }],
    ['inMemory', {}, { all: 1, long: 1, kept: 1, end: 3 }],
    ['inMemory', { epochs: 2 }, { all: 1, kept: 1, end: 3, epochs: 6 }],
    ['onDisk', {}, { all: 1, long: 1, kept: 1, end: 3 }],
    ['between', {}, { all: 1, kept: 2, end: 6 }],
    ['nested', {}, { all: 1, long: 2, end: 6 }],
    ['twoCaches', {}, { all: 1, kept: 2, end: 4 }],
    ['takenTooMany', {}, { all: 1, end: 2 }],
  ])('%s, with %j', async (name, options, passes) => {
    const of = await sizesOf(name, options);
    for (const [operator, times] of Object.entries(passes)) {
      expect([operator, of(operator)?.elements]).toEqual([operator, about(times * LINES)]);
    }
    expect(of('all')?.elements).toEqual(exactly(LINES));
    const { bytes, bytesPerElement } = of('all') ?? {};
    expect(bytes?.estimate).toBeCloseTo(LINES * (bytesPerElement?.estimate ?? 0), 0);
  });

  it('also behind a cache that was found on disk, and what stands before it says nothing', async () => {
    await sizesOf('onDisk');
    const of = await sizesOf('onDisk');
    expect([of('all')?.elements, of('long')?.elements]).toEqual([undefined, undefined]);
    expect([of('kept')?.elements, of('end')?.elements]).toEqual([exactly(LINES), exactly(3 * LINES)]);
  });

  it('and nothing where there was nothing', async () => {
    expect((await sizesOf('empty'))('end')?.elements?.estimate).toBe(0);
  });
});

describe('sizes of a run whose passes were cut are not told as if they were known', () => {
  it.each(['taken', 'takenAgain', 'takenOfCache', 'takenOfAll'])('%s', async name => {
    const of = await sizesOf(name);
    const { estimate = 0, high = 0, confidence = 1 } = of('all')?.elements ?? {};
    expect([confidence < 1, estimate >= 50, high >= estimate]).toEqual([true, true, true]);
    // Each pass ends where the take has enough: how much there is in the file nobody knows.
    if (name === 'takenAgain') expect(high).toBe(Number.POSITIVE_INFINITY);
    const taken = of('taken') ?? of('end');
    expect([taken?.elements?.estimate, taken?.elements?.high]).toEqual([50, 50]);
  });
});

describe('sizes of a run that was stopped', () => {
  it.each([
    ['inMemory', LINES + 100, { kept: 1, end: 3 }],
    ['endless', 2 * LINES + 100, { kept: 1, end: Number.POSITIVE_INFINITY }],
  ])('%s, when its cache was full, are what there was', async (name, until, passes) => {
    const of = await sizesOf(name, {}, until);
    for (const [operator, times] of Object.entries({ all: 1, ...passes })) {
      expect([operator, of(operator)?.elements]).toEqual([operator, about(times * LINES)]);
    }
  });

  it.each(['once', 'repeated', 'inMemory', 'nested', 'endless'])(
    '%s, in its first pass, come close to what there is',
    async name => {
      const elements = (await sizesOf(name, { slots: 1, chunkElements: 50 }, LINES / 10))('all')?.elements;
      expect(elements?.confidence).toBeLessThan(1);
      // All lines are alike, and how much of the file was read is known, but for a chunk that is under way.
      expect(Math.abs((elements?.estimate ?? 0) - LINES) / LINES).toBeLessThan(0.25);
    },
  );

  it('are unknown before an endless repeat', async () => {
    expect((await sizesOf('endlessly', {}, 3 * LINES))('all')?.elements).toBeUndefined();
  });
});

it('sizes of a run that was resumed are not those of what was left', async () => {
  const params = { name: 'once', file };
  const first = sizes.run({ params, resumable: true });
  let count = 0;
  let resume: RunOptions['resume'];
  for await (const _ of first) {
    if (++count < LINES / 2) continue;
    resume = await first.save();
    break;
  }
  if (resume === undefined) throw new Error('nothing was saved');
  const of = await sizesOf('once', { resume });
  expect(of('all')?.elements).toBeUndefined();
});
