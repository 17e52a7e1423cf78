import { describe, expect, it } from 'vitest';
import { AUTHOR_FILE } from '../../model/frame-names.ts';
import { AUTHOR_LINES, GENERATED_LINES } from '../../model/line-ranges.ts';
import type { Frame, LaneDictionary, RecordedProfile } from '../../model/profile.ts';
import { shareBand } from './band.ts';
import { divide } from './division.ts';
import { type CountedOperator, Sharing } from './sharing.ts';
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

const counted: readonly CountedOperator[] = [
  { id: 'source', label: 'source', rows: 1000, timedNs: 0, timedIntervalNs: [0, 0], isFused: true },
  { id: 'a', label: 'a', rows: 1000, timedNs: 6 * MS, timedIntervalNs: [5 * MS, 7 * MS], isFused: true },
  { id: 'b', label: 'b', rows: 1000, timedNs: 2 * MS, timedIntervalNs: [MS, 3 * MS], isFused: true },
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

  it('names the lines with most of the samples, the hottest first', () => {
    expect(whole.hottest.map(({ stage, number, text, hits, share }) => [stage, number, text, hits, share])).toEqual([
      ['s', 2, 'a', 3, 3 / 9],
      ['s', 1, 'loop', 1, 1 / 9],
      ['s', 3, 'b', 1, 1 / 9],
    ]);
  });

  it('has the rows of a query operator also where none of its work was sampled', () => {
    const asked = { ...lane(1, GENERATED_LINES), operators: ['source', 'a', 'b', 'q: filter'], rows: [0, 0, 0, 70] };
    const { operators } = summariseProfile({ ...profile, lanes: [asked] }, counted, { start: 0 });
    expect(operators.find(({ id }) => id === 'q: filter')).toMatchObject({ rows: 70, hits: 0, share: 0 });
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

  it('gives a line that computes something for two operators to both, in equal parts, and says so', () => {
    const own = lane(1, GENERATED_LINES);
    const [loop] = own.loops;
    if (loop === undefined) throw new Error('no loop');
    const joint: LaneDictionary = {
      ...own,
      loops: [
        {
          ...loop,
          lines: [
            [0, 0, 0],
            [1, 1, 1, 2],
            [2, 2, 2],
          ],
        },
      ],
    };
    const samples = Array.from({ length: 8 }, () => [2, GENERATED_LINES + 1] as const);
    const found = summariseProfile(
      { ...profile, lanes: [joint], streams: [stream(1, [...samples, [2, GENERATED_LINES + 2]])] },
      counted,
      { start: START },
    );
    expect(['a', 'b'].map(id => found.operators.find(each => each.id === id)?.hits)).toEqual([4, 5]);
    expect(found.operators.find(({ id }) => id === 'a')?.by).toEqual({ line: 4, function: 0, stack: 0, divided: 0 });
    expect([found.joint, found.shared]).toEqual([[{ operators: ['a', 'b'], hits: 8, share: 8 / 9 }], []]);
    expect(found.loops[0]?.lines[1]).toEqual({
      text: 'a',
      operator: 'a',
      task: 'element',
      hits: 8,
      others: [{ operator: 'b', task: 'element' }],
    });
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
    { operator: 'a', hits: 50, timed: 30, timedInterval: [29, 31], rows: 100 },
    { operator: 'b', hits: 0, timed: 10, timedInterval: [9, 11], rows: 100 },
  ]);
  expect(parts).toEqual([
    { operator: 'a', hits: 0, low: 0, high: 7.5 },
    { operator: 'b', hits: 10, low: 2.5, high: 10 },
  ]);
});

it('shared code goes by the number of elements where the timed ones do not speak against it', () => {
  const parts = (error: number) =>
    divide(80, [
      { operator: 'a', hits: 10, timed: 30, timedInterval: [30 - error, 30 + error], rows: 400 },
      { operator: 'b', hits: 0, timed: 20, timedInterval: [20 - error, 20 + error], rows: 100 },
    ]);
  expect(parts(15).map(({ hits }) => hits)).toEqual([62, 18]);
  expect(parts(1).map(({ hits }) => hits)).toEqual([44, 36]);
  for (const { low, high } of [...parts(1), ...parts(15)]) expect(high - low).toBeGreaterThanOrEqual(18);
});

it('shared code of operators that are not timed may be anybody’s', () => {
  const of = (operator: string, hits: number) => ({
    operator,
    hits,
    timed: 0,
    timedInterval: [0, 0] as const,
    rows: 0,
  });
  expect(divide(10, [of('a', 30), of('b', 10)])).toEqual([
    { operator: 'a', hits: 7.5, low: 0, high: 10 },
    { operator: 'b', hits: 2.5, low: 0, high: 10 },
  ]);
});

it('gives every shared sample to one operator, in the proportions of the parts, in any range of time', () => {
  const [lane] = profile.lanes;
  if (lane === undefined) throw new Error('no lane');
  const shared = Array.from({ length: 1000 }, (_, time) => ({
    lane,
    time,
    owner: { kind: 'shared' as const, operators: ['b', 'a'] },
  }));
  const given = new Sharing(shared, counted).given(shared).map(({ owner }) => owner);
  const ofA = (some: typeof given): number =>
    some.filter(owner => owner.kind === 'operator' && owner.operator === 'a').length;
  expect(given.every(({ kind }) => kind === 'operator')).toBe(true);
  expect(Math.abs(ofA(given) - 750)).toBeLessThan(10);
  expect(Math.abs(ofA(given.slice(0, 100)) - 75)).toBeLessThan(5);
});
