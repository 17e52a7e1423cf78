import { expect, test } from 'vitest';
import { newRun } from '../store/run.fixture.ts';
import { openRun } from '../store/run-reader.ts';
import { problemsOf } from './run-heading.ts';

test('what the recorder had to say has its code, and without one that it was said', () => {
  const run = newRun();
  run.finish({
    status: 'completed',
    endedAt: '',
    monotonic: '6000000000000',
    warnings: ['full', 'odd', 'old'],
    warningCodes: ['VENTURI_WARN_RECORDING_ROTATED', 'VENTURI_WARN_OF_A_LATER_VERSION'],
  });
  expect(problemsOf(openRun(run.folder))).toEqual([
    { code: 'VENTURI_WARN_RECORDING_ROTATED', message: 'full' },
    { code: 'VENTURI_WARN_RUN', message: 'odd' },
    { code: 'VENTURI_WARN_RUN', message: 'old' },
  ]);
});
