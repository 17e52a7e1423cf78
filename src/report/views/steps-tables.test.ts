import { expect, it } from 'vitest';
import { stepsSummary } from '../../analysis/steps/summary.ts';
import { ns } from '../../model/units.ts';
import { imported, kinetoText, twoSteps } from '../../probes/steps/kineto/trace.fixture.ts';
import { pathBlocks } from './steps-tables.ts';

it('says where most of a step is on no path', async () => {
  const summary = stepsSummary(await imported(kinetoText(twoSteps)));
  const saidOf = (duration: number): string =>
    JSON.stringify(pathBlocks({ ...summary, path: { ...summary.path, duration: ns(duration) } })[0]);
  expect(saidOf(summary.time.mean)).toContain('999 µs a step: what must be faster');
  expect(saidOf(summary.time.mean / 4)).toContain('250 µs of 999 µs a step: for the rest the trace does not tell');
});
