import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RECORD_KIND } from '../src/model/record.ts';
import { openRun } from '../src/store/run-reader.ts';
import { STEPS, triedTorches } from './fixtures/python.ts';
import { PATIENCE } from './fixtures/torch-workshop.ts';
import { type Finished, Workshop } from './fixtures/workshop.ts';

interface Step {
  readonly loader: string;
  readonly start: number;
  readonly end: number;
  readonly phases: { readonly name: string; readonly start: number; readonly end: number }[];
}

/** The steps that were watched, each with its phases in the order in which they were written. */
function stepsOf(folder: string): Step[] {
  const source = openRun(folder).records();
  const steps: Step[] = [];
  for (const block of source.blocks()) {
    for (let row = 0; row < block.count; row++) {
      if (block.kind[row] !== RECORD_KIND.span) continue;
      const key = source.subjects[block.subject[row] ?? -1] ?? '';
      const [space = '', ...name] = key.split(':');
      const start = block.start[row] ?? 0;
      const end = start + (block.duration[row] ?? 0);
      if (space === 'step') steps.push({ loader: name.join(':'), start, end, phases: [] });
      else if (space === 'phase') steps.at(-1)?.phases.push({ name: name.join(':'), start, end });
    }
  }
  return steps;
}

const namesOf = ({ phases }: Step): string[] => phases.map(({ name }) => name);

const EPOCH_STEP = [
  'zero-grad',
  'forward:Net',
  'forward:CrossEntropyLoss',
  'backward',
  'optimizer:SGD',
  'forward:Softmax',
  // It fails.
  'forward:Net',
];
const CLOSURE_STEP = [
  'optimizer:LBFGS',
  'zero-grad',
  'forward:Net',
  'backward',
  'zero-grad',
  'forward:Net',
  'backward',
];

/** What the program itself wrote: in a temporary folder of its own, no measurement of the machine is kept. */
const withoutEnding = (stderr: string): string =>
  stderr.replace(/^measuring this machine .*--no-costs.*\n\S+: \S+ .*\nrecorded in .*\n$/m, '');

for (const { name: torch, python } of triedTorches) {
  describe.skipIf(python === undefined)(`steps on ${torch}`, { timeout: PATIENCE }, () => {
    const workshop = new Workshop();
    let plain: Finished;
    let recorded: Finished;
    beforeAll(async () => {
      const program = [python ?? 'python3', STEPS, 'compile'] as const;
      [plain, recorded] = await Promise.all([
        workshop.start(program[0], program.slice(1)).finished,
        workshop.venturi('record', '--out', 'steps', '--', ...program),
      ]);
    }, PATIENCE);
    afterAll(() => workshop.remove());

    it('are watched, and the program prints, warns, fails, is interrupted and compiled as without', () => {
      expect(plain.code, plain.stderr).toBe(0);
      expect(plain.stdout.match(/^interrupted/gm)).toHaveLength(12);
      expect(recorded).toMatchObject({ code: 0, stdout: plain.stdout });
      expect(withoutEnding(recorded.stderr)).toBe(plain.stderr);
    });

    it('have each phase once, in their order, inside the step', () => {
      const steps = stepsOf(workshop.path('steps'));
      const trained = steps.filter(({ loader }) => loader === 'loader');
      expect(trained.length).toBeGreaterThan(0);
      for (const step of trained) expect(namesOf(step)).toEqual(EPOCH_STEP);
      const closed = steps.filter(({ loader }) => loader === 'closed');
      expect(closed.length).toBeGreaterThan(0);
      for (const step of closed) expect(namesOf(step)).toEqual(CLOSURE_STEP);
      for (const { start, end, phases } of steps) {
        const ends = phases.map(phase => phase.end);
        expect(Math.min(...phases.map(phase => phase.start))).toBeGreaterThanOrEqual(start);
        expect(Math.max(...ends)).toBeLessThanOrEqual(end);
        for (const [at, phase] of phases.slice(1).entries()) {
          const before = phases[at];
          expect(phase.start).toBeGreaterThanOrEqual(
            (before?.name.startsWith('optimizer:LBFGS') ? before.start : before?.end) ?? 0,
          );
        }
      }
    });

    it('are shown, with the share of each phase', async () => {
      const { steps } = await workshop.info('steps');
      const trained = steps?.find(({ loader }) => loader === 'loader');
      expect(trained?.phases.map(({ phase }) => phase)).toEqual([
        'fetch',
        'zero-grad',
        'forward',
        'backward',
        'optimizer',
        'rest',
      ]);
      const shares = trained?.phases.reduce((sum, { share }) => sum + share, 0);
      expect(shares).toBeCloseTo(1, 6);
      const shown = await workshop.venturi('info', 'steps');
      expect(shown.stdout).toContain('Step with a batch of loader');
      expect(shown.stdout).toMatch(/forward .* Net/);
    });
  });
}
