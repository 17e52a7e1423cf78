import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LoaderTrial, ProgramDiagnosis, ProgramPrediction, TuneProgramResult } from '../src/workflow/index.ts';
import { torchNeeded, torchPython } from './fixtures/python.ts';
import { Workshop } from './fixtures/workshop.ts';

const PATIENCE = 300_000;
const REMOTE = fileURLToPath(new URL('./fixtures/remote.py', import.meta.url));
const python = torchPython ?? 'python3';

let workshop: Workshop;
beforeAll(() => {
  workshop = new Workshop();
});
afterAll(() => workshop.remove());

const json = async <T>(...args: string[]): Promise<T> => {
  const { code, stdout, stderr } = await workshop.venturi(...args);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as T;
};

describe.skipIf(torchPython === undefined)(`a PyTorch program, tuned${torchNeeded}`, { timeout: PATIENCE }, () => {
  it('is set better without an edit, and prints the same', async () => {
    const plain = await workshop.start(python, [REMOTE]).finished;
    const result = await json<TuneProgramResult>('tune', '--record', 'tuned', '--json', '--', python, REMOTE);
    const [{ changes, applied } = {} as LoaderTrial] = result.trials;
    expect(changes.num_workers).toBeGreaterThanOrEqual(3);
    expect(applied).toMatchObject({ num_workers: changes.num_workers });
    expect(result.edit).toMatchObject({ isOfSource: true });
    expect(result.edit?.diff.join('\n')).toContain(
      `+        loader = DataLoader(Remote(), 8, shuffle=False, num_workers=${result.best?.changes.num_workers}`,
    );
    // The best and the program as it is ran again, in turn.
    expect(result.recordings.length).toBeGreaterThanOrEqual(1 + result.trials.length + 2);

    const env = { VENTURI_LOADERS: JSON.stringify({ loader: changes }) };
    const again = await workshop.startVenturi(['record', '--no-costs', '--out', 'again', '--', python, REMOTE], { env })
      .finished;
    expect(again).toMatchObject({ code: 0, stdout: plain.stdout });
    expect((await workshop.info('again')).batches?.loaders[0]?.workers).toBe(changes.num_workers);

    const [before = ''] = result.recordings;
    const diagnosis = await json<ProgramDiagnosis>('diagnose', before, '--json');
    expect(diagnosis.verdict).toMatchObject({
      kind: 'preparation-bound',
      cause: { type: 'software' },
      fix: { type: 'arguments', changes: changes },
    });
    const { stdout } = await workshop.venturi('diagnose', before);
    expect(stdout).toMatch(/^loader is limited by preparation: its consumer waits \d\d %/);
    expect(stdout).toContain('-        loader = DataLoader(Remote(), 8, shuffle=False, num_workers=0)\n');

    const prediction = await json<ProgramPrediction>('predict', before, '--workers', '0,1,2', '--json');
    const [one] = prediction.loaders;
    expect(one?.forecasts.map(({ setting }) => setting.workers)).toEqual([0, 1, 2]);
  });

  it('leaves the workers of a stream alone, of which each would give everything', async () => {
    const plain = await workshop.start(python, [REMOTE, 'stream=1']).finished;
    const env = { VENTURI_LOADERS: JSON.stringify({ loader: { num_workers: 2 } }) };
    const changed = await workshop.startVenturi(
      ['record', '--no-costs', '--out', 'stream', '--', python, REMOTE, 'stream=1'],
      {
        env,
      },
    ).finished;
    expect(changed).toMatchObject({ code: 0, stdout: plain.stdout });
    const { batches } = await workshop.info('stream');
    expect(batches?.loaders[0]?.settings).toMatchObject({ num_workers: 0, stream: true });
  });
});
