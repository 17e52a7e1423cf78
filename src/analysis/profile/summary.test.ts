import { describe, expect, it } from 'vitest';
import { AUTHOR_FILE } from '../../model/frame-names.ts';
import { AUTHOR_LINES, GENERATED_LINES } from '../../model/line-ranges.ts';
import type { Frame, LaneDictionary, RecordedProfile } from '../../model/profile.ts';
import { shareBand } from './band.ts';
import { divide } from './division.ts';
import { summariseProfile } from './summary.ts';

const MS = 1e6;
const START = 50 * MS;
const frames = new Map<number, Frame>([
  [1, [1, 0, '(root)', '', 0, 0]],
  [2, [2, 1, 'slice', 'venturi:s.0', GENERATED_LINES, 0]],
  [3, [3, 1, '(garbage collector)', '', 0, 0]],
  [4, [4, 1, '(idle)', '', 0, 0]],
  [5, [5, 2, 'both', AUTHOR_FILE, AUTHOR_LINES, 0]],
]);

const lane = (tid: number, firstLine: number): LaneDictionary => ({
  lane: `s#${tid}`,
  tid,
  stage: 's',
  operators: ['source', 'a', 'b'],
  tasks: [
    { operator: -1, name: 'loop' },
    { operator: 1, name: 'element' },
    { operator: 2, name: 'element' },
  ],
  loops: [
    {
      file: 'venturi:s.0',
      firstLine,
      text: 'loop\na\nb',
      lines: [
        [0, 0, 0],
        [1, 1, 1],
        [2, 2, 2],
      ],
    },
  ],
  functions: [
    { operator: 1, line: AUTHOR_LINES, column: 0, lines: 2, mentions: [] },
    { operator: 2, line: AUTHOR_LINES, column: 0, lines: 2, mentions: [] },
  ],
});

/** Samples a millisecond apart, as [node, line]. */
const stream = (tid: number, samples: readonly (readonly [number, number])[]) => ({
  tid,
  frames,
  times: samples.map((_, at) => START + at * MS),
  nodes: samples.map(([node]) => node),
  lines: samples.map(([, line]) => line),
});

const profile: RecordedProfile = {
  facts: { profiler: 'V8', asked: 1000 },
  lanes: [lane(1, GENERATED_LINES), lane(2, GENERATED_LINES + 100)],
  streams: [
    stream(1, [
      [2, GENERATED_LINES + 1],
      [2, GENERATED_LINES + 1],
      [2, GENERATED_LINES + 2],
      [3, 0],
      [4, 0],
      [2, GENERATED_LINES],
    ]),
    stream(2, [
      [2, GENERATED_LINES + 101],
      [2, GENERATED_LINES + 102],
      [5, AUTHOR_LINES + 1],
      [5, AUTHOR_LINES + 1],
    ]),
    // The consumer's thread is no lane.
    stream(3, [[2, GENERATED_LINES]]),
  ],
  compiling: new Map([[2, [[START + MS, MS / 2]]]]),
};

const counted = [
  { id: 'source', label: 'source', rows: 1000, cpuNs: 0, isFused: true },
  { id: 'a', label: 'a', rows: 1000, cpuNs: 6 * MS, isFused: true },
  { id: 'b', label: 'b', rows: 1000, cpuNs: 2 * MS, isFused: true },
];

describe('a profile', () => {
  const whole = summariseProfile(profile, counted, { start: 0 });

  it('gives every sample of a lane to somebody, once', () => {
    const given = [...whole.operators, ...whole.rest].reduce((sum, { hits }) => sum + hits, 0);
    expect(whole.samples).toBe(9);
    expect(given).toBeCloseTo(9);
    expect(whole.idle).toBe(1);
    expect(whole.rateHeld).toBeCloseTo(1000);
  });

  it('adds the lines of lanes that run the same loop', () => {
    expect(whole.loops).toHaveLength(1);
    expect(whole.loops[0]?.lines.map(({ operator, hits }) => [operator, hits])).toEqual([
      [undefined, 1],
      ['a', 3],
      ['b', 1],
    ]);
  });

  it('counts what a thread compiled as that', () => {
    expect(whole.rest.map(({ kind, task, hits }) => [kind, task, hits])).toContainEqual(['compilation', undefined, 1]);
  });

  it('divides shared code by the timed elements, and says so', () => {
    expect(whole.shared).toEqual([{ operators: ['a', 'b'], hits: 2, share: 2 / 9 }]);
    const [a, b] = ['a', 'b'].map(id => whole.operators.find(each => each.id === id));
    expect((a?.by.divided ?? 0) + (b?.by.divided ?? 0)).toBeCloseTo(2);
    expect(a?.by.divided).toBeGreaterThan(b?.by.divided ?? 2);
  });

  it('follows a range of time, without rows, which were counted over the whole run', () => {
    const part = summariseProfile(profile, counted, { start: START, from: 2 * MS, to: 4 * MS });
    expect(part.samples).toBe(4);
    expect(part.operators.map(({ nsPerRow }) => nsPerRow)).toEqual([undefined, undefined, undefined]);
  });

  it('of nothing is empty', () => {
    const none = summariseProfile({ ...profile, streams: [] }, counted, { start: 0 });
    expect([none.samples, none.rateHeld, none.attributed, none.inOperators]).toEqual([0, 0, 0, 0]);
    expect(none.operators.every(({ hits, share }) => hits === 0 && share === 0)).toBe(true);
  });
});

it('the band of a share holds it and narrows with the number of samples', () => {
  const [few, many] = [shareBand(10, 100), shareBand(1000, 10_000)];
  for (const { low, high } of [few, many]) expect(low < 0.1 && high > 0.1).toBe(true);
  expect(many.high - many.low).toBeLessThan((few.high - few.low) / 5);
  expect(shareBand(0, 100).low).toBe(0);
});

it('shared code goes to whom the timed elements leave something to explain', () => {
  const parts = divide(10, [
    { operator: 'a', hits: 50, timedHits: 50 },
    { operator: 'b', hits: 0, timedHits: 50 },
  ]);
  expect(parts).toEqual([
    { operator: 'a', hits: 0, low: 0, high: 5 },
    { operator: 'b', hits: 10, low: 5, high: 10 },
  ]);
});
