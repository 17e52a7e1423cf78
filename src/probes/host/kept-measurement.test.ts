import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { type KeptMeasurement, measureAndKeep, readKept } from './kept-measurement.ts';

const speed: KeptMeasurement<{ metres: number }> = {
  name: 'speed',
  facts: ['one'],
  schema: z.object({ metres: z.number() }),
  keptMs: 3600_000,
  keptWhenBusyMs: 60_000,
};
const quiet = async (): Promise<number> => 0;
const busy = async (): Promise<number> => 0.9;
const measure = async (): Promise<{ metres: number }> => ({ metres: 3 });

let folder: string;
const keptFile = (): string => join(folder, readdirSync(folder)[0] ?? '');

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'venturi-kept-'));
  vi.stubEnv('TMPDIR', folder);
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
  rmSync(folder, { recursive: true, force: true });
});

describe.skipIf(process.platform === 'win32')('a measurement of the machine', () => {
  it('is kept for what it depends on', async () => {
    expect(readKept(speed)).toBeUndefined();
    expect(await measureAndKeep(speed, measure, quiet)).toEqual({ metres: 3 });
    expect(readKept(speed)).toEqual({ metres: 3 });
    expect(readKept({ ...speed, facts: ['two'] })).toBeUndefined();
  });

  it.each([
    ['quiet', quiet, 3600_000],
    ['busy', busy, 60_000],
  ])('grows old: on a %s machine', async (_, look, keptMs) => {
    await measureAndKeep(speed, measure, look);
    vi.useFakeTimers({ now: Date.now() + keptMs - 5000 });
    expect(readKept(speed)).toEqual({ metres: 3 });
    vi.setSystemTime(Date.now() + 10_000);
    expect(readKept(speed)).toBeUndefined();
  });

  it('is not kept where a busy machine says nothing of it', async () => {
    expect(await measureAndKeep({ ...speed, keptWhenBusyMs: 0 }, measure, busy)).toEqual({ metres: 3 });
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    ['nothing', ''],
    ['half of it', '{"at":17'],
    ['something else', '{"at":1,"keptMs":2,"costs":{"metres":"far"}}'],
    ['a promise to hold for ever', JSON.stringify({ at: Date.now(), keptMs: 1e15, costs: { metres: 9 } })],
  ])('is measured again where the file holds %s', async (_, text) => {
    await measureAndKeep(speed, measure, quiet);
    expect(readFileSync(keptFile(), 'utf8')).toContain('metres');
    writeFileSync(keptFile(), text);
    expect(readKept(speed)).toBeUndefined();
    await measureAndKeep(speed, measure, quiet);
    expect(readKept(speed)).toEqual({ metres: 3 });
  });

  it('tells who measures how busy the machine is', async () => {
    const told = vi.fn(measure);
    await measureAndKeep(speed, told, busy);
    expect(told).toHaveBeenCalledWith(0.9);
  });
});
