import { describe, expect, it } from 'vitest';
import { zip } from '../description/joins.ts';
import type { Pipeline } from '../description/pipeline.ts';
import { range } from '../sources/range.ts';
import { placeNodes } from './graph.ts';
import { type ExecutionPlan, type PlanOptions, planExecution } from './stages.ts';

const same = <T>(x: T): T => x;
const nothing = (): void => undefined;

const plan = (pipeline: Pipeline<unknown>, options: Partial<PlanOptions> = {}): ExecutionPlan =>
  planExecution(placeNodes(pipeline.node), { inline: false, memory: 2 ** 28, slots: undefined, ...options });

/** Stages as `kinds × lanes`. */
const stagesOf = (pipeline: Pipeline<unknown>): string[] =>
  plan(pipeline).stages.map(
    ({ nodes, parallelism }) => `${nodes.map(({ node }) => node.kind).join(' ')} × ${parallelism}`,
  );

describe('stages', () => {
  it.each([
    ['all in one, if nobody asks for threads', range(3).map(same).batch(2), ['range map batch × 1']],
    ['threads open one', range(3).map(same, { parallelism: 2 }), ['range × 1', 'map × 2']],
    ['also a single one', range(3).map(same, { parallelism: 1 }), ['range × 1', 'map × 1']],
    [
      'what does not ask rides along',
      range(3).map(same, { parallelism: 2 }).filter(Boolean),
      ['range × 1', 'map filter × 2'],
    ],
    [
      'the same number is the same stage',
      range(3).map(same, { parallelism: 2 }).map(same, { parallelism: 2 }),
      ['range × 1', 'map map × 2'],
    ],
    [
      'another number is another',
      range(3).map(same, { parallelism: 2 }).map(same, { parallelism: 3 }),
      ['range × 1', 'map × 2', 'map × 3'],
    ],
    [
      'what needs the order leaves',
      range(3).map(same, { parallelism: 2 }).window(2),
      ['range × 1', 'map × 2', 'window × 1'],
    ],
    [
      'a batch rides in a divided one, and what does not ask with it',
      range(3).map(same, { parallelism: 2 }).batch(2).map(same),
      ['range × 1', 'map batch map × 2'],
    ],
    [
      'also through stages, behind what counts, and behind another batch',
      range(3)
        .filter(Boolean)
        .shuffle(5)
        .map(x => [x], { parallelism: 2 })
        .paddedBatch(2)
        .map(same, { parallelism: 3 })
        .batch(4),
      ['range filter shuffle × 1', 'map paddedBatch × 2', 'map batch × 3'],
    ],
    [
      'but not where it asks for a lane of its own',
      range(3).map(same, { parallelism: 2 }).batch(2, { parallelism: 1 }),
      ['range × 1', 'map × 2', 'batch × 1'],
    ],
    [
      'nor where elements are no longer those that were counted',
      range(3).map(same, { parallelism: 2 }).filter(Boolean).batch(2),
      ['range × 1', 'map filter × 2', 'batch × 1'],
    ],
    [
      'nor where some may be given up',
      range(3).map(same, { parallelism: 2, onError: 'skip' }).batch(2),
      ['range × 1', 'map × 2', 'batch × 1'],
    ],
    [
      'nor where passes become one before it',
      range(3).repeat(2).map(same, { parallelism: 2 }).batch(2),
      ['range repeat × 1', 'map × 2', 'batch × 1'],
    ],
    [
      'nor where a buffer holds less',
      range(3).prefetch(6).map(same, { parallelism: 2 }).batch(2),
      ['range prefetch × 1', 'map × 2', 'batch × 1'],
    ],
    [
      'nor where a chunk would be too large',
      range(3)
        .map(same, { parallelism: 2 })
        .batch(2 ** 14 + 1),
      ['range × 1', 'map × 2', 'batch × 1'],
    ],
    [
      'effects stay in order behind it',
      range(3).map(same, { parallelism: 2 }).batch(2).map(same).forEach(nothing),
      ['range × 1', 'map batch map × 2', 'forEach × 1'],
    ],
    [
      'unless their author divides them',
      range(3).map(same, { parallelism: 2 }).batch(2).map(same, { parallelism: 2 }).forEach(nothing),
      ['range × 1', 'map batch map forEach × 2'],
    ],
    [
      'and stays where there is one lane',
      range(3).map(same, { parallelism: 1 }).batch(2),
      ['range × 1', 'map batch × 1'],
    ],
    ['a prefetch ends one', range(3).prefetch(4).map(same), ['range prefetch × 1', 'map × 1']],
    [
      'a prefetch rides in a divided one',
      range(3).map(same, { parallelism: 2 }).prefetch(4).batch(2),
      ['range × 1', 'map prefetch × 2', 'batch × 1'],
    ],
    [
      'others may read what is counted, but nothing behind it',
      (() => {
        const shared = range(3).map(same, { parallelism: 2 });
        return zip([shared.map(same).batch(2), shared.skip(1).map(same, { parallelism: 2 }).batch(2)]);
      })(),
      ['range × 1', 'map × 2', 'map batch × 1', 'skip × 1', 'map batch × 2', 'zip × 1'],
    ],
  ] as const)('%s', (_, pipeline, expected) => {
    expect(stagesOf(pipeline as Pipeline<unknown>)).toEqual(expected);
  });

  it('are one, on the calling thread, inline', () => {
    const { stages, channels } = plan(range(3).map(same, { parallelism: 2 }).batch(2), { inline: true });
    expect(stages).toMatchObject([{ id: 'inline', parallelism: 0 }]);
    expect(channels).toEqual([]);
  });

  it('are named by the labels of their operators, in full where two would be alike', () => {
    const alike = range(3).map(same, { parallelism: 2 }).map(same, { parallelism: 3 });
    expect(plan(alike).stages.map(({ id }) => id)).toEqual(['range', 'range/map', 'range/map/map']);
    expect(plan(range(3).map(same).batch(2)).stages.map(({ id }) => id)).toEqual(['range+same+batch']);
  });
});

describe('channels', () => {
  const divided = range(3).map(same, { parallelism: 2 }).batch(2, { parallelism: 1 });

  it('lie behind every stage, the last before the consumer', () => {
    const { graph } = plan(divided);
    expect(graph.channels.map(({ from, to }) => `${from} → ${to}`)).toEqual([
      'range → range/map',
      'range/map → range/map/batch',
      'range/map/batch → consumer',
    ]);
    expect(graph.stages.map(({ parallelism }) => parallelism)).toEqual([1, 2, 1]);
  });

  it('have a slot for every lane at either end, and some between', () => {
    expect(plan(divided).channels.map(({ shape }) => shape.largeSlots)).toEqual([6, 6, 4]);
    expect(plan(divided, { slots: 3 }).channels.map(({ shape }) => shape.slots)).toEqual([3, 3, 3]);
  });

  it('hold no more elements than a prefetch allows', () => {
    expect(plan(range(3).prefetch(2).map(same)).channels[0]).toMatchObject({ shape: { slots: 2 }, maxElements: 2 });
    expect(plan(range(3).prefetch(99).map(same)).channels[0]).toMatchObject({ shape: { slots: 4 }, maxElements: 99 });
    expect(plan(range(3).prefetch(999).map(same)).channels[0]).toMatchObject({ shape: { slots: 12, largeSlots: 4 } });
  });

  it.each([2 ** 17, 2 ** 20, 2 ** 28, 2 ** 34])('stay within a budget of %i bytes', memory => {
    const { graph, channels } = plan(divided, { memory });
    expect(graph.channels.reduce((sum, { capacity }) => sum + capacity, 0)).toBeLessThanOrEqual(memory);
    for (const { shape } of channels) {
      expect(shape.largeSlotBytes % 4096).toBe(0);
      expect(shape.largeSlotBytes).toBeLessThanOrEqual(64 * 2 ** 20);
    }
  });

  it('have the same memory, however many lanes some have', () => {
    const [many, , few] = plan(range(3).map(same, { parallelism: 14 }).window(2)).graph.channels;
    expect((few?.capacity ?? 0) / (many?.capacity ?? 1)).toBeCloseTo(1, 2);
  });

  it('have more slots for small chunks than large slots, where memory allows and nobody counts them', () => {
    const shapes = (built: Pipeline<unknown>, options = {}) => plan(built, options).channels.map(({ shape }) => shape);
    for (const { slots, largeSlots, smallBytes } of shapes(divided)) {
      expect(slots).toBeGreaterThan(4 * largeSlots);
      expect(slots % largeSlots).toBe(0);
      expect(smallBytes).toBeGreaterThan(0);
    }
    const plain = [
      ...shapes(divided, { memory: 2 ** 20 }),
      ...shapes(divided, { slots: 3 }),
      ...shapes(range(3).prefetch(99).map(same)).slice(0, 1),
    ];
    for (const { slots, largeSlots, smallBytes } of plain) expect([slots, smallBytes]).toEqual([largeSlots, 0]);
  });

  it('are recorded with what their slots are computed from', () => {
    const { graph, channels } = plan(range(3).prefetch(99).map(same), { borrow: true });
    expect(graph.memory).toBe(2 ** 28);
    expect(graph.channels.map(({ largeSlotBytes }) => largeSlotBytes)).toEqual(
      channels.map(({ shape }) => shape.largeSlotBytes),
    );
    expect(graph.channels.map(each => each.sizing)).toEqual([
      { largeSlots: 4, counted: false, lends: false, mostElements: 99 },
      { largeSlots: 4, counted: false, lends: true },
    ]);
    expect(channels.map(({ spares }) => spares > 0)).toEqual([false, true]);
    expect(plan(range(3), { inline: true }).graph.memory).toBeUndefined();
  });

  it('must fit the budget', () => {
    // Half of it is for the channels: sixteen slots of 4096 bytes.
    expect(() => plan(divided, { memory: 2 * 16 * 4096 })).not.toThrow();
    expect(() => plan(divided, { memory: 2 * 16 * 4096 - 1 })).toThrow(
      expect.objectContaining({
        code: 'VENTURI_BUDGET_TOO_SMALL',
        remedy: expect.stringContaining(`${2 * 16 * 4096} bytes`),
      }),
    );
  });
});
