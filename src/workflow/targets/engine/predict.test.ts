import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { pipeline } from '../../../engine/api/define.ts';
import { describePipeline } from '../../../engine/api/planned.ts';
import { range } from '../../../engine/index.ts';
import type { Action, PipelinePlan } from '../../../model/plan.ts';
import { MEASURED_HOST } from '../../../prediction/cost/costs.fixture.ts';
import { writeRecording } from './drawn-recording.fixture.ts';
import { predict } from './predict.ts';

const folder = mkdtempSync(join(tmpdir(), 'venturi-predict-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const definition = pipeline(import.meta, {}, () =>
  range(1000)
    .map(x => x + 1, { name: 'work' })
    .shuffle(10, { name: 'mixed' })
    .map(x => x + 1, { name: 'rest' }),
);
const other = pipeline(import.meta, {}, () =>
  range(1000)
    .map(x => x + 1, { name: 'rest' })
    .shuffle(10, { name: 'mixed' })
    .map(x => x + 1, { name: 'work' }),
);

const { operators, shape } = describePipeline(definition);
const recording = writeRecording(join(folder, 'run'), operators, MEASURED_HOST, { seed: 1, isFilled: false });

const planOf = (action: Action, its = shape): Pick<PipelinePlan, 'changes' | 'pipeline'> => ({
  changes: [{ action, reason: 'binds' }],
  pipeline: { path: 'pipeline.ts', shape: its, fingerprint: 'f' },
});
const threads = (operator: string, to: number): Action => ({ kind: 'parallelism', operator, to });

it('forecasts a plan of the recorded pipeline', async () => {
  const { forecast, arranged } = await predict(recording, { plan: planOf(threads('work', 2)) });
  expect(arranged).toBe('asked');
  expect(forecast.rate.high).toBeGreaterThan(0);
});

it('refuses a plan of another pipeline, though it has operators of the same names', async () => {
  const plan = planOf(threads('work', 2), describePipeline(other).shape);
  await expect(predict(recording, { plan })).rejects.toMatchObject({
    code: 'VENTURI_PLAN_OTHER_PIPELINE',
    message: expect.stringContaining('connected otherwise'),
  });
  const unknown = planOf(threads('nobody', 2));
  await expect(predict(recording, { plan: unknown })).rejects.toMatchObject({
    code: 'VENTURI_PLAN_OTHER_PIPELINE',
    message: expect.stringContaining("'nobody', which is not in the recording"),
  });
});

it.each<readonly [string, Action, string]>([
  ['threads where elements are seen in order', threads('mixed', 4), 'it sees all elements in order'],
  ['calls at once where there are none', { kind: 'concurrency', operator: 'work', to: 4 }, 'it makes no async calls'],
  ['a cache of what is random', { kind: 'cache', operator: 'rest', limit: 1e9 }, "'mixed' is random"],
  ['a source in parts that has none', { kind: 'divide', operator: 'range', parallelism: 2 }, 'read in parts'],
  ['to leave out what does work', { kind: 'remove', operator: 'work' }, 'it is no prefetch or cache'],
])('forecasts nothing for a plan that the engine would refuse: %s', async (_, action, why) => {
  await expect(predict(recording, { plan: planOf(action) })).rejects.toMatchObject({
    code: 'VENTURI_PLAN_UNSOUND',
    message: expect.stringContaining(why),
  });
});
