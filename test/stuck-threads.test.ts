import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { deep, quick as it } from './fixtures/depth-tests.ts';
import { type SpawnOptions, type Started, Workshop } from './fixtures/workshop.ts';

const shop = new Workshop();

afterAll(() => shop.remove());

/** One that hangs is killed, and shows it by its code: 137. */
const HANGS_MS = 45_000;

/** The command line as people start it: it starts itself once more. */
const AS_USUAL = { GLIBC_TUNABLES: '' };

async function stopped(
  args: readonly string[],
  stop: (started: Started) => Promise<unknown>,
  env: SpawnOptions['env'] = {},
): Promise<{ code: number; stderr: string }> {
  const started = shop.startVenturi(args, { env });
  const killer = setTimeout(() => started.child.kill('SIGKILL'), HANGS_MS);
  try {
    await started.says(/^waiting/m);
    started.child.kill('SIGTERM');
    await stop(started);
    const { code, stderr } = await started.finished;
    return { code, stderr };
  } finally {
    clearTimeout(killer);
    started.child.kill('SIGKILL');
  }
}

const once = async (): Promise<void> => undefined;

async function twice(started: Started): Promise<void> {
  await started.says(/^stopping/m);
  started.child.kill('SIGTERM');
}

describe.concurrent('a signal ends a process', () => {
  beforeAll(() => {
    execFileSync('mkfifo', [shop.path('pipe')]);
    // A thread inside the system hears of nothing, nor does what it prints get out otherwise.
    const head = "import { readFileSync, writeSync } from 'node:fs';";
    const read = "(writeSync(2, 'waiting\\n'), readFileSync('pipe').length)";
    shop.pipeline('reads.ts', `range(p.n).map(() => ${read})`, head);
    shop.pipeline(
      'imports.ts',
      'range(p.n)',
      `${head}\nwriteSync(2, 'waiting\\n');\nawait new Promise(() => setInterval(() => 0, 1e6));`,
    );
  });

  it.each([
    ['in one process', {}],
    ['started as usual', AS_USUAL],
  ])('one of whose threads waits inside the system, %s', async (_, env) => {
    const { code, stderr } = await stopped(['run', 'reads.ts'], once, env);
    expect(stderr).toMatch(/^warning: .*could not: they wait inside the system/m);
    expect(stderr).toMatch(/^interrupted: /m);
    expect(code).toBe(143);
  });

  it('one of whose threads waits inside the system, at once where it comes twice', async () => {
    const { code, stderr } = await stopped(['run', 'reads.ts'], twice);
    expect(stderr).not.toMatch(/^interrupted: /m);
    expect(code).toBe(143);
  });

  it('whose pipeline waits for ever while it is imported', async () => {
    const { code, stderr } = await stopped(['run', 'imports.ts'], once);
    expect(stderr).toMatch(/VENTURI_INTERRUPTED: the pipeline was still being imported/);
    expect(code).toBe(143);
  });

  deep('whose first thread waits inside the system, if it was started as usual', async () => {
    const { code } = await stopped(['run', 'reads.ts', '--inline'], once, AS_USUAL);
    expect(code).toBe(143);
  });
});
