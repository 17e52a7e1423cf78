import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anyPython, skipped } from './fixtures/python.ts';
import { Workshop } from './fixtures/workshop.ts';

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
