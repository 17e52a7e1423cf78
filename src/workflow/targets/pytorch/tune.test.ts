import { describe, expect, it, vi } from 'vitest';
import { HOST } from '../../../analysis/records.fixture.ts';
import { preparing, profile, step } from '../../../prediction/loader/profile.fixture.ts';
import { programTuningReport } from '../../../report/views/program-tuning.ts';
import { summary } from '../../../tuning/loader/summary.fixture.ts';
import type { RecordRequest } from './record.ts';
import { tuneProgram } from './tune.ts';

/** Elements per second of the next runs, as it is and set otherwise; the last one goes on. */
const script = { before: [100], after: [100] };
const next = (list: number[]): number => (list.length > 1 ? list.shift() : list[0]) ?? 100;
const loader = summary({ workers: 1 }, { name: 'loader' });

vi.mock('./record.ts', () => ({
  recordProgram: async ({ out = '' }: RecordRequest) => ({ recording: out, exitCode: 0, warnings: [] }),
}));
vi.mock('./read-batches.ts', () => ({
  readProgram: async (recording: string) => ({
    run: { folder: recording, manifest: { host: HOST } },
    summary: { loaders: [loader] },
  }),
}));
vi.mock('./predict.ts', async original => ({
  ...(await original<typeof import('./predict.ts')>()),
  // Preparation takes so long beside the step that more workers promise several times as much.
  loaderProfile: ({ run }: { run: { folder: string } }) => {
    const measured = next(run.folder.includes('-after') ? script.after : script.before);
    const work = { preparing: Array.from({ length: 30 }, () => preparing(40, 0)), steps: [step(0, 1)] };
    return profile({ workers: 1, ...work }, { measured, measuredParts: [0.98 * measured, 1.02 * measured] });
  },
}));

const tuned = (before: readonly number[], after: readonly number[]) => {
  Object.assign(script, { before: [...before], after: [...after] });
  return tuneProgram({ command: ['python3', 'train.py'] });
};

const verdict = (result: Awaited<ReturnType<typeof tuned>>) => programTuningReport(result, '/')[0];

describe('a setting of a program', () => {
  it('is advised where it is faster each time', async () => {
    const result = await tuned([200], [380]);
    expect(result.best?.gain.low).toBeGreaterThan(1);
    expect(verdict(result)).toMatchObject({
      text: expect.stringMatching(/380\/s instead of 200\/s: 1\.90 times as much/),
    });
  });

  it('stands in the plan as refused where the program kept what it had', async () => {
    const { plan, gained, best } = await tuned([200], [380]);
    const refused = [{ code: 'VENTURI_WARN_NOT_APPLIED', operators: ['loader'] }];
    expect(plan).toMatchObject({ target: 'pytorch', loader: { name: 'loader' }, changes: [], refused });
    expect(plan.refused[0]?.message).toContain('num_workers');
    expect(gained).toEqual(best?.gain);
  });

  it('is not advised by one lucky run', async () => {
    const result = await tuned([200], [240, 190, 236, 184, 200]);
    expect(result).toMatchObject({ best: undefined, edit: undefined, unchanged: 'not-certain' });
    expect(result).toMatchObject({ plan: { changes: [], refused: [] }, gained: { estimate: 1 } });
    expect(verdict(result)).toMatchObject({
      text: expect.stringMatching(/^Nothing to change about loader, .* within the variation between runs/),
    });
  });

  it('is not advised where it is slower, whatever was forecast', async () => {
    const result = await tuned([200], [164]);
    expect(result.trials[0]?.predicted.rate.estimate).toBeGreaterThan(200);
    expect(result).toMatchObject({ best: undefined, unchanged: 'not-faster' });
  });
});
