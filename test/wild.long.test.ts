import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { differing } from '../bench/wild/sameness.mjs';
import { comparedCounts } from '../bench/wild/tally.mjs';
import { pythonWith, skipped } from './fixtures/python.ts';
import { Workshop } from './fixtures/workshop.ts';

/** Importing these libraries takes many seconds on a busy machine. */
const PATIENCE = 300_000;

const program = (name: string): string => fileURLToPath(new URL(`../bench/wild/programs/${name}.py`, import.meta.url));

let workshop: Workshop;
beforeAll(() => {
  workshop = new Workshop();
});
afterAll(() => workshop.remove());

/** A few of `npm run -s bench -- wild`; the bench has all of them, and advice that is taken. */
const PROGRAMS = [
  { name: 'strict_warnings', packages: ['torch'], code: 0 },
  { name: 'failing_element', packages: ['torch'], code: 1 },
  { name: 'torchvision_folder', packages: ['torch', 'torchvision', 'PIL'], code: 0 },
  { name: 'timm_folder', packages: ['torch', 'timm'], code: 0 },
] as const;

describe('a program as people write it, alone and recorded', { timeout: PATIENCE }, () => {
  for (const { name, packages, code } of PROGRAMS) {
    const python = pythonWith(packages);
    it.skipIf(python === undefined)(`${name}${skipped(python, packages.join(', '))}`, async () => {
      // A shell keeps apart what the program says and what Venturi does.
      const command = (out: string): string[] => [
        '-c',
        'exec "$@" >"$0.stdout" 2>"$0.stderr"',
        workshop.path(out),
        python ?? '',
        program(name),
      ];
      const [alone, recorded] = await Promise.all([
        workshop.start('sh', command('alone')).finished,
        workshop.venturi('record', '--no-costs', '--out', name, '--', 'sh', ...command('recorded')),
      ]);
      const said = (name: string): string => readFileSync(workshop.path(name), 'utf8');
      const ending = (out: string, { code }: { readonly code: number }) => ({
        code,
        stdout: said(`${out}.stdout`),
        stderr: said(`${out}.stderr`),
      });
      const before = ending('alone', alone);
      expect(before.code, before.stderr).toBe(code);
      expect(differing(before, ending('recorded', recorded))).toBeUndefined();
      const { batches } = await workshop.info(name);
      const counts = comparedCounts(before.stdout, batches?.loaders ?? []);
      expect(counts.filter(({ isExact }) => !isExact)).toEqual([]);
      expect(counts.length).toBeGreaterThan(0);
    });
  }
});
