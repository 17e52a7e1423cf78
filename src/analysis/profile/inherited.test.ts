import { expect, it } from 'vitest';
import type { AttributedSample } from './attributed-samples.ts';
import { LEAD_NS, withInherited } from './inherited.ts';

const lane: AttributedSample['lane'] = {
  lane: 's#0',
  tid: 1,
  stage: 's',
  operators: ['a'],
  tasks: [],
  loops: [],
  functions: [],
};
const samples = (count: number, before: string | undefined): AttributedSample[] =>
  Array.from({ length: count }, (_, time) => ({
    lane,
    time,
    owner: { kind: 'engine', task: 'input', line: 9, ...(before === undefined ? {} : { before }) },
  }));
const given = (all: readonly AttributedSample[]): number => all.filter(({ owner }) => owner.kind === 'operator').length;

it('gives the operator behind a line what the line cannot have taken itself', () => {
  // 1000 elements at what the line may take are 10 samples.
  const nsPerSample = LEAD_NS * 100;
  const all = withInherited(samples(50, 'a'), () => 1000, nsPerSample);
  expect(given(all)).toBe(40);
  expect(given(all.slice(0, 25))).toBe(20);
  expect(given(withInherited(samples(10, 'a'), () => 1000, nsPerSample))).toBe(0);
});

it('leaves lines behind which no operator stands, and all where the rate is not known', () => {
  expect(given(withInherited(samples(50, undefined), () => 0, 1000))).toBe(0);
  expect(given(withInherited(samples(50, 'a'), () => 1, 0))).toBe(0);
});
