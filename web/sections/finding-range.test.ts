import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { PipelineDiagnosis } from '../../src/report/results/diagnosis.ts';
import { findingRange } from './finding-range.ts';

const diagnosis = JSON.parse(
  readFileSync(new URL('../../test/golden/outputs/diagnose-pipeline-joined.json', import.meta.url), 'utf8'),
) as PipelineDiagnosis;

test('a finding selects when its stage was the bottleneck, and the steady part where it never was', () => {
  const [segment] = diagnosis.segments;
  expect(findingRange(diagnosis, { operators: ['augment'] })).toEqual({
    from: segment?.fromSeconds,
    to: segment?.toSeconds,
  });
  const { steady } = diagnosis;
  expect(findingRange(diagnosis, { operators: ['decode'] })).toEqual({
    from: steady.fromSeconds,
    to: steady.toSeconds,
  });
});
