import { expect, test } from 'vitest';
import { costModelOf } from '../../prediction/cost/recording.ts';
import { Draft } from '../draft.ts';
import { ENGINE_RULES, recorded } from '../recorded.fixture.ts';
import { fusion } from './fusion.ts';
import type { Circumstances } from './rule.ts';

const model = costModelOf(
  recorded([
    { id: 'files', kind: 'files', ms: 0.01 },
    { id: 'decode', ms: 2, bytes: 100_000 },
    { id: 'crop', ms: 0.5, bytes: 50_000 },
    { id: 'batch', kind: 'batch', ms: 0.01, out: 0.1, bytes: 500_000 },
  ]),
);

const circumstances: Circumstances = {
  target: undefined,
  memory: 1e9,
  disk: undefined,
  keep: new Set(),
  waits: [],
  cachePlaces: [],
  mustCache: false,
  threads: 'needed',
  calls: {},
  passes: () => 1,
};

const buffered = (draft: Draft): Draft =>
  draft.with({ kind: 'prefetch', operator: 'crop', elements: 100, slots: 8 }, 'waits-vary');

test('a buffer that evens out the flow stays between two stages, and goes where they have become one', () => {
  const divided = new Draft(model, ENGINE_RULES).threads('decode', 4, 'binds');
  expect(fusion(buffered(divided), circumstances).has('crop', 'prefetch')).toBe(true);
  expect(fusion(buffered(new Draft(model, ENGINE_RULES)), circumstances).has('crop', 'prefetch')).toBe(false);
});
