import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { METRICS } from '../model/metric.ts';
import { blockOf, SECOND } from './records.fixture.ts';
import { TimelineFold } from './timeline.ts';

const KEY = 'operator:decode';
const OUT = METRICS.elementsOut.code;

type Reading = readonly [subject: number, code: number, moment: number, value: number];

function fold(
  blocks: readonly (readonly [index: number, rows: readonly Reading[]])[],
  bin = 0.1 * SECOND,
  most = 1024,
) {
  const timeline = new TimelineFold(bin, most);
  for (const [index, rows] of blocks) timeline.block(blockOf(index, `lane${index}`, rows), [KEY, 'lane:lane0']);
  return timeline.result();
}

const growth = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 0, max: 50 })), { minLength: 1, maxLength: 60 })
  .map(steps => {
    let moment = 0;
    let value = 0;
    return steps.map(([ms, more]): Reading => {
      moment += ms * 1e6;
      value += more;
      return [0, OUT, moment, value];
    });
  });

describe('how totals grew', () => {
  test('nothing is lost, however often the bins were joined', () => {
    fc.assert(
      fc.property(growth, rows => {
        const { lanes } = fold([[0, rows]], 5e6, 16);
        expect(lanes[0]?.between(KEY, 'elementsOut', 0, Number.POSITIVE_INFINITY)).toBeCloseTo(
          rows.at(-1)?.[3] ?? 0,
          6,
        );
      }),
    );
  });

  test('a live run, whose lanes come mixed, gives the same as one read lane by lane', () => {
    fc.assert(
      fc.property(growth, growth, (first, second) => {
        const apart = fold([
          [0, first],
          [1, second],
        ]);
        const cut = Math.floor(first.length / 2);
        const mixed = fold([
          [0, first.slice(0, cut)],
          [1, second],
          [0, first.slice(cut)],
        ]);
        for (const at of [0.3, 1.7, 4.2]) {
          for (const lane of [0, 1]) {
            const counted = (timeline: typeof apart): number =>
              timeline.lanes[lane]?.between(KEY, 'elementsOut', 0, at * SECOND) ?? 0;
            expect(counted(mixed)).toBeCloseTo(counted(apart), 6);
          }
        }
      }),
    );
  });

  test('what was counted between two readings is spread over the time between them', () => {
    const { lanes } = fold([
      [
        0,
        [
          [0, OUT, SECOND, 0],
          [0, OUT, 3 * SECOND, 20],
        ],
      ],
    ]);
    expect(lanes[0]?.between(KEY, 'elementsOut', 0, SECOND)).toBe(0);
    expect(lanes[0]?.between(KEY, 'elementsOut', SECOND, 2 * SECOND)).toBeCloseTo(10, 6);
  });

  test('a wait that is counted when it ends is put where it was, and what stood there instead is taken back', () => {
    const { blocked, starved } = METRICS;
    const { lanes } = fold([
      [
        0,
        [
          [1, blocked.code, SECOND, SECOND],
          [1, blocked.code, 2 * SECOND, 2 * SECOND],
          [1, blocked.code, 2.1 * SECOND, 0],
          [1, starved.code, 2 * SECOND, 0],
          [1, starved.code, 2.1 * SECOND, 2.1 * SECOND],
        ],
      ],
    ]);
    const [lane] = lanes;
    expect(lane?.between('lane:lane0', 'blocked', 0, 2.1 * SECOND)).toBeCloseTo(0, 3);
    expect((lane?.between('lane:lane0', 'blocked', 0.2 * SECOND, SECOND) ?? 1) / SECOND).toBeLessThan(0.1);
    expect((lane?.between('lane:lane0', 'starved', 0, SECOND) ?? 0) / SECOND).toBeCloseTo(1, 1);
  });

  test('a fold that forgets knows the last part as one that keeps everything', () => {
    fc.assert(
      fc.property(growth, fc.boolean(), (rows, isWidened) => {
        const forgetting = new TimelineFold(5e6, 64, { whenFull: 'forget' });
        const keeping = new TimelineFold(5e6, 2 ** 15);
        for (const each of [forgetting, keeping]) each.block(blockOf(0, 'lane0', rows), [KEY]);
        if (isWidened) forgetting.widen();
        const [from, to] = [Math.max(0, forgetting.from), forgetting.end];
        expect(to - from).toBeLessThanOrEqual(64 * forgetting.binNs);
        // A bin's growth is spread evenly over it, so moments between bins differ where bins do.
        const start = Math.ceil(from / forgetting.binNs) * forgetting.binNs;
        const growthIn = (fold: TimelineFold): number | undefined =>
          fold.result().lanes[0]?.between(KEY, 'elementsOut', start, Number.POSITIVE_INFINITY);
        expect(growthIn(forgetting)).toBeCloseTo(growthIn(keeping) ?? Number.NaN, 6);
      }),
    );
  });

  test('a moment far ahead is taken in one step', () => {
    const fold = new TimelineFold(0.1 * SECOND, 64, { whenFull: 'forget' });
    fold.block(
      blockOf(0, 'lane0', [
        [0, OUT, SECOND, 5],
        [0, OUT, 2 ** 53, 9],
        [0, OUT, 2 * SECOND, 12],
      ]),
      [KEY],
    );
    expect(fold.end).toBe(2 ** 53);
    expect(fold.result().lanes[0]?.between(KEY, 'elementsOut', 0, Number.POSITIVE_INFINITY)).toBeLessThanOrEqual(12);
  });

  test('lanes are settled up to the last moment that all have told of, but for those that are silent', () => {
    const fold = new TimelineFold();
    const block = (index: number, seconds: number): void =>
      fold.block(blockOf(index, `lane${index}`, [[0, OUT, seconds * SECOND, 1]]), [KEY]);
    block(0, 10);
    block(1, 9.5);
    block(2, 3);
    expect(fold.settled(SECOND) / SECOND).toBeCloseTo(9.5);
    expect(fold.settled(10 * SECOND) / SECOND).toBeCloseTo(3);
  });
});
