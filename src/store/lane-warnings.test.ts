import { expect, test } from 'vitest';
import { laneWarning, mergeLaneWarnings } from './lane-warnings.ts';

test('warnings that differ in the lane alone become one', () => {
  const full = 'no longer recorded: no space is left.';
  const merged = mergeLaneWarnings([
    laneWarning('decode#0', full),
    'The final mark could not be written: ENOSPC',
    laneWarning('decode#1', full),
    laneWarning('decode#1', full),
    laneWarning('decode#1', 'reached its size cap.'),
  ]);
  expect(merged).toEqual([
    `Lanes decode#0, decode#1: ${full}`,
    'The final mark could not be written: ENOSPC',
    'Lane decode#1: reached its size cap.',
  ]);
});

test('of many lanes the first are named and the rest counted', () => {
  const warnings = Array.from({ length: 9 }, (_, lane) => laneWarning(`decode#${lane}`, 'stopped.'));
  expect(mergeLaneWarnings(warnings)).toEqual(['Lanes decode#0, decode#1, decode#2, decode#3 and 5 more: stopped.']);
});
