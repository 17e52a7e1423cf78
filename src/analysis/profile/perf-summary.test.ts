import { describe, expect, it } from 'vitest';
import { GENERATED_LINES } from '../../model/line-ranges.ts';
import type { Frame, LaneDictionary, PerfStream, RecordedPerf } from '../../model/profile.ts';
import { summarisePerf } from './perf-summary.ts';

const MS = 1e6;
const START = 50 * MS;
const FIRST = GENERATED_LINES;

const lane = (tid: number): LaneDictionary => ({
  ...{ lane: `s#${tid}`, tid, stage: 's', operators: ['a', 'b'], functions: [] },
  tasks: [
    { operator: -1, name: 'loop' },
    { operator: 0, name: 'element' },
    { operator: 1, name: 'element' },
  ],
  loops: [
    {
      ...{ file: 'venturi:s.0', firstLine: FIRST, text: 'loop\na\nb\nboth' },
      lines: [
        [0, 0, 0],
        [1, 1, 1],
        [2, 2, 2],
        [3, 3, 1, 2],
      ],
    },
  ],
});

const LOOP = 1;
const COLLECTOR = 2;
const NOBODY = 3;
const frames = new Map<number, Frame>([
  [LOOP, [LOOP, 0, 'slice', 'venturi:s.0', FIRST, 0]],
  [COLLECTOR, [COLLECTOR, 0, '(garbage collector)', '', 0, 0]],
  [NOBODY, [NOBODY, 0, '(program)', '', 0, 0]],
]);
const NATIVES = [
  ['memmove', 'libc.so.6'],
  ['Scavenge', 'node'],
] as const;

/** Samples a millisecond apart: function, line, native function, event, how many it stands for, address of data. */
type Sampled = readonly [
  node: number,
  line: number,
  native?: number,
  event?: number,
  weight?: number,
  address?: number,
];
const stream = (tid: number, samples: readonly Sampled[]): PerfStream => ({
  ...{ tid, frames, natives: NATIVES },
  times: samples.map((_, at) => START + at * MS),
  nodes: samples.map(([node]) => node),
  lines: samples.map(([, line]) => line),
  native: samples.map(([, , native = -1]) => native),
  event: samples.map(([, , , event = 0]) => event),
  weight: samples.map(([, , , , weight = 10]) => weight),
  address: samples.map(([, , , , , address = 0]) => address),
});

const of = (...lanes: readonly LaneDictionary[]) => ({ lanes, streams: [] });

const recorded = (...streams: readonly PerfStream[]): RecordedPerf => ({
  facts: { profiler: 'perf', events: ['cpu-clock', 'page-faults'], frequency: 999 },
  streams,
});

describe('what perf saw', () => {
  const seen = recorded(
    stream(1, [
      [LOOP, FIRST + 1],
      [LOOP, FIRST + 1, 0],
      [LOOP, FIRST + 2],
      [COLLECTOR, 0, 1],
      [LOOP, FIRST + 2, -1, 1, 3, 0x1000],
      [LOOP, FIRST + 1, -1, 1, 1, 0x9000],
    ]),
    // The consumer's thread is no lane.
    stream(3, [
      [NOBODY, 0, 0],
      [NOBODY, 0, 0, 1],
    ]),
  );
  const summary = summarisePerf(seen, of(lane(1)), { start: START });

  it('is given to operators by each event, and what is native of it', () => {
    expect(summary.rows).toEqual([
      { name: 'a', isOperator: true, shares: [0.5, 0.25], nativeShare: 0.25 },
      { name: 'b', isOperator: true, shares: [0.25, 0.75], nativeShare: 0 },
      { name: 'garbage collection', isOperator: false, shares: [0.25, 0], nativeShare: 0.25 },
    ]);
  });

  it('counts threads that are no lanes, and gives them to nobody', () => {
    expect([summary.samples, summary.otherThreads]).toEqual([
      [4, 2],
      [1, 1],
    ]);
  });

  it('has native functions with those whose lines called them', () => {
    expect(summary.native).toEqual([
      { symbol: 'memmove', module: 'libc.so.6', share: 0.25, callers: [{ name: 'a', share: 0.25 }] },
      { symbol: 'Scavenge', module: 'node', share: 0.25, callers: [{ name: 'garbage collection', share: 0.25 }] },
    ]);
  });

  it('says how much lies in functions of V8, whose callers may be lost', () => {
    expect(summary.inBuiltins).toBe(0);
    const builtin = {
      ...stream(1, [
        [LOOP, FIRST + 1, 0],
        [LOOP, FIRST + 1],
      ]),
      natives: [['Builtins_Add', 'node']] as const,
    };
    expect(summarisePerf(recorded(builtin), of(lane(1)), { start: START }).inBuiltins).toBe(0.5);
  });

  it('has the hottest lines of the first event, and the memory of those that tell addresses', () => {
    expect(summary.hottest.map(({ number, hits }) => [number, hits])).toEqual([
      [2, 2],
      [3, 1],
    ]);
    expect(summary.data.map(({ name, event, pages }) => [name, event, pages])).toEqual([
      ['b', 1, 1],
      ['a', 1, 1],
    ]);
  });

  it('follows a range of time', () => {
    const part = summarisePerf(seen, of(lane(1)), { start: START, from: MS, to: 3 * MS });
    expect([part.samples, part.otherThreads]).toEqual([
      [2, 0],
      [0, 1],
    ]);
    expect(part.rows.map(({ name, shares }) => [name, shares])).toEqual([
      ['a', [0.5, undefined]],
      ['b', [0.5, undefined]],
    ]);
  });

  it('begins where that of V8 does: before it, lanes load', () => {
    const begun = { tid: 1, frames, times: [START + 2 * MS, START + 3 * MS], nodes: [1, 1], lines: [0, 0] };
    const earlier = { ...begun, tid: 3, times: [START] };
    const part = summarisePerf(seen, { lanes: [lane(1)], streams: [earlier, begun] }, { start: START });
    expect([part.loading, part.samples, part.otherThreads]).toEqual([
      [2, 0],
      [2, 2],
      [1, 1],
    ]);
    expect(part.rows.map(({ name, shares }) => [name, shares])).toEqual([
      ['b', [0.5, 0.75]],
      ['garbage collection', [0.5, 0]],
      ['a', [0, 0.25]],
    ]);
    expect(part.position.checked).toBe(3);
  });

  it('of nothing is empty', () => {
    const none = summarisePerf(recorded(), of(lane(1)), { start: START });
    expect([none.samples, none.rows, none.native, none.hottest, none.data]).toEqual([[0, 0], [], [], [], []]);
  });
});

it('a line that several operators own is theirs in turn', () => {
  const four: Sampled[] = Array.from({ length: 4 }, () => [LOOP, FIRST + 3]);
  const { rows } = summarisePerf(recorded(stream(1, four)), of(lane(1)), { start: START });
  expect(rows.map(({ name, shares }) => [name, shares[0]])).toEqual([
    ['a', 0.5],
    ['b', 0.5],
  ]);
});

it('two threads of one loop are one table, each by its own dictionary', () => {
  const both = recorded(stream(1, [[LOOP, FIRST + 1]]), stream(2, [[LOOP, FIRST + 101]]));
  const [own, other] = [lane(1), lane(2)];
  const moved = { ...other, loops: other.loops.map(loop => ({ ...loop, firstLine: FIRST + 100 })) };
  const { rows, hottest } = summarisePerf(both, of(own, moved), { start: START });
  expect(rows).toMatchObject([{ name: 'a', shares: [1, undefined] }]);
  expect(hottest).toMatchObject([{ text: 'a', hits: 2 }]);
});

describe('tag against position', () => {
  const positions = (dictionary: LaneDictionary, ...lines: readonly number[]) =>
    summarisePerf(
      recorded(
        stream(
          1,
          lines.map((line): Sampled => [LOOP, line]),
        ),
      ),
      of(dictionary),
      { start: START },
    ).position;

  it('agree where the line lies in the loop that is at the address; other lines are not asked', () => {
    expect(positions(lane(1), FIRST, FIRST + 3, 0, 7)).toEqual({ checked: 2, agreeing: 2 });
  });

  it('disagree where the dictionary has the loop at other lines than its code', () => {
    expect(positions(lane(1), FIRST + 3, FIRST + 4, FIRST + 400)).toEqual({ checked: 3, agreeing: 1 });
    const own = lane(1);
    const moved = { ...own, loops: own.loops.map(loop => ({ ...loop, firstLine: FIRST + 2 })) };
    expect(positions(moved, FIRST, FIRST + 1, FIRST + 2)).toEqual({ checked: 3, agreeing: 1 });
  });
});
