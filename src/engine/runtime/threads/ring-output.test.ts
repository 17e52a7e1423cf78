import { describe, expect, it } from 'vitest';
import { plainShape } from '../../compile/channel-shape.ts';
import { operatorKind } from '../../operators/registry.ts';
import { Clock } from '../books/clock.ts';
import { sharedTotals } from '../books/totals.ts';
import { ChunkDecoder } from '../chunk/index.ts';
import { allocateRing, PART, RingConsumer, RingProducer } from '../ring/index.ts';
import { Sampler } from '../stage/sampler.ts';
import { CompiledSegment } from '../stage/segment.ts';
import { RingOutput } from './ring-output.ts';

const ROW = 4;
const SIZE = { operators: 3, inputs: 1, outputs: 1 };

/** A stage that ends in batches of four, and what came out of it. */
function batching(call: (x: number) => unknown, rows: number, sampler?: Sampler) {
  const clock = new Clock(process.hrtime.bigint());
  const memory = allocateRing(plainShape(64, 64 << 16));
  const output = new RingOutput([new RingProducer(memory, clock)], clock, {
    identity: false,
    aligned: false,
    rowLength: ROW,
    chunkElements: rows,
    mostElements: undefined,
    readers: [1],
    relieve: () => undefined,
  });
  const settings = [{}, {}, { size: ROW }];
  const { loop } = new CompiledSegment(
    'batching',
    {
      operators: ['source', 'map', 'batch'].map((kind, at) => ({
        kind: operatorKind(kind),
        settings: settings[at] ?? {},
        wantsContext: false,
        skips: false,
        discards: false,
      })),
      calls: [undefined, call, undefined],
      contexts: [],
      draws: [],
      sink: output,
      settle: () => undefined,
      sampler,
    },
    { series: { start: 0, step: 1 }, identity: false, flat: true },
  );
  return {
    /** Pushes the numbers up to `count` through and gives all batches. */
    through(count: number): unknown[] {
      let reached = 0;
      while (reached < count) {
        reached = loop.run([], reached, count, undefined, undefined, 0);
        expect(output.count).toBeLessThanOrEqual(output.limit);
        if (output.count >= output.limit) output.full();
      }
      loop.flush(2);
      output.mark('end');
      const consumer = new RingConsumer(memory, clock);
      const decoder = new ChunkDecoder();
      const batches: unknown[] = [];
      for (let chunk = 0; ; chunk++) {
        consumer.receive(chunk);
        if (consumer.count === 0) return batches;
        batches.push(...decoder.decode(consumer.bytes).values);
        consumer.release(chunk);
      }
    },
  };
}

const inRows = (values: readonly unknown[]): unknown[] =>
  Array.from({ length: Math.ceil(values.length / ROW) }, (_, row) => values.slice(row * ROW, (row + 1) * ROW));
const upTo = (count: number, call: (x: number) => unknown): unknown[] =>
  Array.from({ length: count }, (_, x) => call(x));

describe('rows that lie flat', () => {
  it.each([
    ['integers', (x: number) => x * 3],
    ['integers, then a fraction', (x: number) => (x === 9 ? 0.5 : x)],
    ['integers, then minus zero', (x: number) => (x === 6 ? -0 : x)],
    ['integers beyond 32 bits from some place on', (x: number) => (x < 5 ? x : x + 2 ** 31)],
    ['strings', (x: number) => `${x}`],
    ['anything', (x: number) => [x, 'text', undefined, { x }, [x]][x % 5]],
  ])('carry %s', (_, call) => {
    for (const rows of [1, 2, 100]) {
      expect(batching(call, rows).through(23), `${rows} rows in a chunk`).toEqual(inRows(upTo(23, call)));
    }
  });

  it('stay within their chunk wherever elements are timed', () => {
    const identity = (x: number): number => x;
    for (const rows of [1, 2]) {
      for (let gap = 1; gap <= 2 * ROW + 1; gap++) {
        const sampler = new Sampler(sharedTotals(SIZE), 0);
        sampler.next = () => {
          sampler.countdown = gap;
        };
        expect(batching(identity, rows, sampler).through(64), `every ${gap}th`).toEqual(inRows(upTo(64, identity)));
      }
    }
  });
});

describe('the chunks of a divided stage', () => {
  it('end with their last elements, so that nobody waits for a consumer to be done with those', () => {
    const clock = new Clock(process.hrtime.bigint());
    const memory = allocateRing(plainShape(4, 4 << 16));
    const output = new RingOutput([new RingProducer(memory, clock)], clock, {
      identity: false,
      aligned: true,
      rowLength: 0,
      chunkElements: 1,
      mostElements: undefined,
      readers: [1],
      relieve: () => undefined,
    });
    const consumer = new RingConsumer(memory, clock);
    for (const chunk of [0, 1, 2]) {
      output.startChunk(chunk);
      output.values[0] = `element ${chunk}`;
      output.count = 1;
      output.full(false);
      expect(output.count).toBe(1);
      output.endChunk();
    }
    for (const chunk of [0, 1, 2]) {
      consumer.receive(chunk);
      expect([consumer.count, consumer.flags & PART.again]).toEqual([1, 0]);
      consumer.release(chunk);
    }
  });
});
