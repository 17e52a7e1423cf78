import { expect, it } from 'vitest';
import { stepDag } from '../../analysis/steps/dag.ts';
import type { StepTrace } from '../../model/step-trace.ts';
import { imported, jobText, kinetoText, twoSteps } from '../../probes/steps/kineto/trace.fixture.ts';
import { fitOverheads } from './overheads.ts';
import { meanError, replayHeldOut, replaySteps } from './replay.ts';

const replayed = (trace: StepTrace): readonly number[] => {
  const steps = [...trace.steps.keys()];
  const dag = stepDag(trace, steps);
  return replaySteps(trace, dag, steps, fitOverheads(trace, dag, steps)).durations;
};

it('has the recorded times of steps that are all alike', async () => {
  for (const text of [kinetoText(twoSteps), jobText({})]) {
    const trace = await imported(text);
    const recorded = trace.steps.map(({ duration }) => duration);
    for (const [at, duration] of replayed(trace).entries()) expect(duration / (recorded[at] ?? 0)).toBeCloseTo(1, 2);
    expect(meanError(replayHeldOut(trace, 0))).toBeLessThan(0.01);
  }
});

it('takes no time from gaps of the device: a host that is faster makes steps shorter', async () => {
  const at = (trace: StepTrace, name: string): number[] =>
    [...trace.ops.name.keys()].filter(op => trace.ops.names[trace.ops.name[op] ?? 0] === name);
  const trace = await imported(kinetoText(twoSteps));
  const [before = 0] = replayed(trace);
  for (const op of at(trace, 'enumerate(DataLoader)#_Iter.__next__')) trace.ops.duration[op] = 0;
  // The same dependencies, and no wait for a batch: the kernels follow 200 µs earlier.
  const steps = [...trace.steps.keys()];
  const original = await imported(kinetoText(twoSteps));
  const overheads = fitOverheads(original, stepDag(original, steps), steps);
  const [after = 0] = replaySteps(trace, stepDag(trace, steps), steps, overheads).durations;
  expect(before - after).toBeCloseTo(200_000, -2);
});
