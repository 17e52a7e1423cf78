import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MachineCostsSchema } from '../../model/machine-costs.ts';
import { machineCosts } from './machine-costs.ts';

const BUSY = [{ threads: 1, compute: 1, memory: 1 }];
const WORKER = { bytes: 1000, each: 1, start: 2, transfer: 3, receive: 4, written: 5, read: 6 };

const quiet = async (): Promise<number> => 0;

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'venturi-costs-test-'));
  vi.stubEnv('TMPDIR', folder);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

/** A program that notes its arguments and answers so. */
function interpreter(answer: unknown): { readonly python: string; asked(): string[] } {
  const [python, log] = [join(folder, 'python'), join(folder, 'asked')];
  writeFileSync(log, '');
  writeFileSync(
    python,
    `#!/bin/sh\nshift\necho "asked $*" >> '${log}'\ncat <<'ANSWER'\n${JSON.stringify(answer)}\nANSWER\n`,
  );
  chmodSync(python, 0o755);
  return { python, asked: () => readFileSync(log, 'utf8').split('\n').filter(Boolean) };
}

describe.skipIf(process.platform === 'win32')('what a machine costs', () => {
  it('is measured once, and again for batches of another size', async () => {
    const { python, asked } = interpreter({ busy: BUSY, worker: WORKER });
    const onMeasure = vi.fn();
    expect(await machineCosts({ python, bytes: 1000, threads: 1, onMeasure }, quiet)).toEqual({
      busy: BUSY,
      worker: WORKER,
    });
    expect(await machineCosts({ python, bytes: 2000, threads: 1, onMeasure }, quiet)).toEqual({
      busy: BUSY,
      worker: WORKER,
    });
    expect(onMeasure).toHaveBeenCalledTimes(1);
    expect(await machineCosts({ python, bytes: undefined, threads: 2 }, quiet)).toEqual({ busy: BUSY, worker: WORKER });
    expect(asked()).toEqual(['asked --bytes 1000 --threads 1']);
    await machineCosts({ python, bytes: 100_000, threads: 1 }, quiet);
    expect(asked()).toHaveLength(2);
    await machineCosts({ python, bytes: 1000, threads: 2 }, quiet);
    expect(asked().at(-1)).toBe('asked --bytes 1000 --threads 2');
  });

  it.each([
    ['before', [0.9, 0]],
    ['after', [0, 0.9]],
  ])('is not kept where others were at work %s it was measured', async (_, shares) => {
    const { python, asked } = interpreter({ busy: BUSY });
    const request = { python, bytes: undefined, threads: 1 };
    expect(await machineCosts(request, async () => shares.shift() ?? 0)).toEqual({ busy: BUSY });
    await machineCosts(request, quiet);
    await machineCosts(request, quiet);
    expect(asked()).toHaveLength(2);
  });

  it('needs no torch where workers were recorded', async () => {
    const { python, asked } = interpreter({ busy: BUSY });
    expect(await machineCosts({ python, bytes: undefined, threads: 2 })).toEqual({ busy: BUSY });
    expect(asked()).toEqual(['asked ']);
  });

  it('stays unknown where it cannot be measured', async () => {
    expect(await machineCosts({ python: join(folder, 'absent'), bytes: undefined, threads: 2 })).toBeUndefined();
    const { python } = interpreter({ busy: [{ threads: 0 }] });
    expect(await machineCosts({ python, bytes: undefined, threads: 2 })).toBeUndefined();
  });

  it.skipIf(process.platform !== 'linux')('is told by the script for one thread, and for all cores', () => {
    const script = fileURLToPath(new URL('../../../python/venturi_probe/pytorch/machine/costs.py', import.meta.url));
    const costs = MachineCostsSchema.parse(JSON.parse(execFileSync('python3', [script], { encoding: 'utf8' })));
    const { busy, wake } = costs;
    expect(wake).toBeGreaterThanOrEqual(0);
    expect(busy[0]).toEqual({ threads: 1, compute: 1, memory: 1 });
    expect(busy.map(({ threads }) => threads)).toEqual(
      [...new Set(busy.map(({ threads }) => threads))].sort((a, b) => a - b),
    );
    for (const { compute, memory } of busy) for (const pace of [compute, memory]) expect(pace).toBeLessThanOrEqual(1);
  });
});
