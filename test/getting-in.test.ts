import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { readControl } from '../src/probes/pytorch/control.ts';
import { anyPython, newPython, oldPython, PROBE, skipped, torchNeeded, torchPython } from './fixtures/python.ts';
import { PATIENCE } from './fixtures/torch-workshop.ts';
import { type Finished, Workshop } from './fixtures/workshop.ts';

const ENTERED_LATE = fileURLToPath(new URL('./fixtures/entered_late.py', import.meta.url));
const LAUNCHING = fileURLToPath(new URL('./fixtures/launching.py', import.meta.url));

describe.skipIf(anyPython === undefined)(
  `getting into a Python${skipped(anyPython, 'any')}`,
  { timeout: 60_000 },
  () => {
    let workshop: Workshop;
    beforeAll(() => {
      workshop = new Workshop();
    });
    afterAll(() => workshop.remove());

    it('is possible where a program sets PYTHONPATH anew for those it starts, and hands the rest of its environment on', async () => {
      const { stdout, stderr, code } = await workshop.venturi('record', '--', anyPython ?? '', LAUNCHING);
      expect(code, stderr).toBe(0);
      const lines = stdout.trim().split('\n');
      expect(lines[0]).toMatch(/^as it is True /);
      expect(lines.slice(1)).toEqual([
        expect.stringMatching(/^env True \['.*elsewhere'\] \['elsewhere'\]$/),
        expect.stringMatching(/^system's way True \['.*elsewhere'\] \['elsewhere'\]$/),
        expect.stringMatching(/^own env False /),
        expect.stringMatching(/^environ True \['.*elsewhere'\] \['elsewhere'\]$/),
        'spawn True',
        'FileNotFoundError',
      ]);
    });
  },
);

/** Between two lines of Python, again and again: there it can be entered. */
const WAITS = 'import sys, time; print("up", sys.version, file=sys.stderr, flush=True)\nwhile True: time.sleep(0.01)';

describe('getting into a process that runs already', { timeout: PATIENCE }, () => {
  let workshop: Workshop;
  beforeAll(() => {
    workshop = new Workshop();
  });
  afterAll(() => workshop.remove());

  it.skipIf(torchPython === undefined)(
    `records the loops that begin from then on, and changes none${torchNeeded}`,
    async () => {
      const python = torchPython ?? '';
      const [plain, entered] = await Promise.all([
        workshop.start(python, [ENTERED_LATE]).finished,
        workshop.start(python, [ENTERED_LATE, 'late'], { env: { PYTHONPATH: PROBE } }).finished,
      ]);
      expect(plain.code, plain.stderr).toBe(0);
      expect(entered).toEqual(plain);
      const loaders = (await workshop.info('late')).batches?.loaders ?? [];
      // Two of three passes, and the one over spawned workers; none of the loader whose workers were there before.
      const seen = loaders.map(({ settings, batches, preparation }) => [
        settings?.batch_size,
        batches,
        preparation.count,
      ]);
      expect(seen.sort()).toEqual([
        [2, 12, 12],
        [4, 3, 3],
      ]);
    },
  );

  it.skipIf(oldPython === undefined)(
    `says why it cannot, and leaves nothing behind${skipped(oldPython, 'a version before 3.14')}`,
    async () => {
      const python = workshop.start(oldPython ?? '', ['-c', WAITS]);
      try {
        await python.says(/up/);
        const attach = (pid: number | undefined): Promise<Finished> =>
          workshop.venturi('record', '--attach', String(pid));
        const [gone, other, old, both] = await Promise.all([
          attach(2 ** 22 + 1),
          attach(process.pid),
          attach(python.child.pid),
          workshop.venturi('record', '--attach', '1', '--', 'python3', 'train.py'),
        ]);
        expect(gone.stderr).toContain('VENTURI_PROGRAM_NOT_FOUND: There is no process');
        expect(other.stderr).toContain('is no Python but node');
        expect(both.stderr).toContain('--attach takes neither a command');
        expect(old.stderr).toMatch(/VENTURI_ATTACH_REFUSED: Process \d+ runs Python 3\.\d+\.\d+; from 3\.14 on/);
        expect(
          readdirSync(workshop.folder).filter(name => name.endsWith('.venturi') && name !== 'late.venturi'),
        ).toEqual([]);
      } finally {
        python.child.kill();
      }
    },
  );

  it.skipIf(newPython === undefined || process.platform !== 'linux')(
    `enters a Python that runs, and leaves it again${skipped(newPython, 'version 3.14')}`,
    async () => {
      const python = workshop.start(newPython ?? '', ['-c', WAITS]);
      try {
        await python.says(/up/);
        const attached = workshop.startVenturi(['record', '--attach', String(python.child.pid), '--out', 'entered']);
        await vi.waitFor(() => expect(readControl(workshop.path('entered.venturi')).probeLoaded).toBe(true), {
          timeout: 60_000,
        });
        attached.child.kill('SIGINT');
        const { code, stderr } = await attached.finished;
        expect([code, stderr]).toEqual([0, expect.stringContaining('has not imported torch.utils.data')]);
        expect(python.child.exitCode).toBeNull();
      } finally {
        python.child.kill();
      }
    },
  );
});
