import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainShape, shapeOf } from '../../../graph/channel-shape.ts';
import type { Tensor } from '../../contract/tensor.ts';
import { operatorKind } from '../../operators/registry.ts';
import { Stacking } from '../../operators/stacking.ts';
import { Clock } from '../books/clock.ts';
import { ElementContext } from '../calls/element-context.ts';
import { ChunkDecoder } from '../chunk/index.ts';
import { allocateRing, PART, RingConsumer, RingProducer } from '../ring/index.ts';
import { CompiledSegment } from '../stage/segment.ts';
import { RingOutput } from './ring-output.ts';

const BYTES = 40_000;
const NUMBERS = BYTES / 4;

interface Given {
  readonly size: number;
  readonly rows: number;
  readonly aligned: boolean;
  readonly asks: boolean;
  readonly shape: Parameters<typeof allocateRing>[0];
}

/** A lane whose function makes arrays and that ends in a stack of them. */
function stacking({ size, rows, aligned, asks, shape }: Given) {
  const clock = new Clock(process.hrtime.bigint());
  const memory = allocateRing(shape);
  const producer = new RingProducer(memory, clock);
  producer.meanwhile = () => {
    throw new Error('the lane waits');
  };
  const output = new RingOutput([producer], clock, {
    identity: false,
    aligned,
    rowLength: 0,
    whole: 1,
    start: undefined,
    chunkElements: rows,
    mostElements: undefined,
    readers: [1],
    memory: { allowance: 2 ** 30, held: 0, check: () => undefined },
  });
  const stack = new Stacking(size, output);
  const context = new ElementContext('map', 0, { signal: AbortSignal.abort() }, asks ? stack : undefined);
  const call = (x: number, { out }: ElementContext): Float32Array => {
    const data = out(Float32Array, NUMBERS);
    // By index: nothing is copied.
    for (let at = 0; at < NUMBERS; at++) data[at] = x;
    return data;
  };
  const { loop } = new CompiledSegment(
    'stacking',
    {
      operators: ['source', 'map', 'stack'].map((kind, at) => ({
        kind: operatorKind(kind),
        settings: at === 2 ? { size } : {},
        wantsContext: at === 1,
        skips: false,
        discards: false,
      })),
      calls: [undefined, call, undefined],
      contexts: [undefined, context, undefined],
      draws: [],
      stacks: [undefined, undefined, stack],
      sink: output,
      settle: () => undefined,
      sampler: undefined,
    },
    { series: { start: 0, step: 1 }, identity: true, flat: false },
  );
  const consumer = new RingConsumer(memory, clock);
  const decoder = new ChunkDecoder();
  let chunk = 0;
  const given: [x: number, rows: number][] = [];
  return {
    output,
    given,
    push(from: number, to: number): void {
      for (let reached = from; reached < to; ) {
        reached = loop.run([], reached, to, undefined, undefined, 0);
        if (output.count >= output.limit) output.full(reached < to);
      }
    },
    flush: () => loop.flush(2),
    producer,
    /** Takes in all that has come, or so many parts, looking at it in place. */
    take(parts = Number.POSITIVE_INFINITY): void {
      for (let left = parts; left > 0 && consumer.ready(chunk); left--) {
        consumer.receive(chunk);
        const isLandmark = (consumer.flags & PART.landmark) !== 0;
        const { values } = consumer.count > 0 && !isLandmark ? decoder.decode(consumer.bytes, true) : { values: [] };
        for (const { data, shape: lengths } of values as Tensor<Float32Array>[]) {
          const [count = 0, length] = lengths;
          expect([data.length, length]).toEqual([count * NUMBERS, NUMBERS]);
          for (let row = 0; row < count; row++) {
            const numbers = data.subarray(row * NUMBERS, (row + 1) * NUMBERS);
            expect(numbers.every(x => x === numbers[0])).toBe(true);
            given.push([numbers[0] ?? -1, count]);
          }
        }
        const again = (consumer.flags & PART.again) !== 0;
        consumer.release(chunk);
        if (!again) chunk++;
      }
    },
  };
}

/** Bytes that are copied from array to array while `work` is done in this thread. */
function copied(work: () => void): number {
  const prototype = Object.getPrototypeOf(Uint8Array.prototype) as Uint8Array;
  const { set, slice, copyWithin } = prototype;
  let bytes = 0;
  prototype.set = function (this: Uint8Array, from: ArrayLike<number>, at?: number) {
    bytes += from.length * this.BYTES_PER_ELEMENT;
    set.call(this, from, at);
  };
  prototype.slice = function (this: Uint8Array, from?: number, to?: number) {
    const made = slice.call(this, from, to) as ReturnType<typeof slice>;
    bytes += made.byteLength;
    return made;
  };
  prototype.copyWithin = function (this: Uint8Array, ...range: [number, number, number?]) {
    bytes += this.byteLength;
    return copyWithin.apply(this, range) as never;
  };
  try {
    work();
  } finally {
    Object.assign(prototype, { set, slice, copyWithin });
  }
  return bytes;
}

const LARGE = plainShape(4, 64 << 20);

describe('a batch that leaves its lane where it was stacked', () => {
  it.each([true, false])('is written once: by its function, into its slot; aligned: %s', aligned => {
    const { push, output, given, take } = stacking({ size: 8, rows: 1, aligned, asks: true, shape: LARGE });
    /** Batch after batch, each taken before the next is made. */
    const round = (from: number): void => {
      output.startChunk(from / 8);
      push(from, from + 8);
      output.endChunk();
      take();
    };
    // The first element tells what all are like.
    expect(copied(() => round(0))).toBeLessThan(BYTES + 5000);
    const bytes = copied(() => {
      for (let from = 8; from < 80; from += 8) round(from);
    });
    expect(bytes).toBeLessThan(10_000);
    expect(given).toEqual(Array.from({ length: 80 }, (_, x) => [x, 8]));
  });

  it('is written once for a slow consumer, too: its slot is waited for before it is begun', () => {
    const lane = stacking({ size: 8, rows: 1, aligned: true, asks: true, shape: LARGE });
    const inSlot: boolean[] = [];
    lane.producer.meanwhile = () => {
      inSlot.push(lane.output.count === 0);
      lane.take(1);
      return 0;
    };
    const round = (from: number): void => {
      lane.output.startChunk(from / 8);
      lane.push(from, from + 8);
      lane.output.endChunk();
    };
    round(0);
    const bytes = copied(() => {
      for (let from = 8; from < 80; from += 8) round(from);
    });
    lane.take();
    expect(bytes).toBeLessThan(10_000);
    expect(inSlot).toEqual(new Array(6).fill(true));
    expect(lane.given).toEqual(Array.from({ length: 80 }, (_, x) => [x, 8]));
  });

  it('does not wait for its slot where chunks may be held back', () => {
    const lane = stacking({ size: 8, rows: 1, aligned: true, asks: true, shape: LARGE });
    lane.producer.allowance = 64 << 20;
    for (let from = 0; from < 80; from += 8) {
      lane.output.startChunk(from / 8);
      lane.push(from, from + 8);
      lane.output.endChunk();
    }
    while (lane.producer.flush()) lane.take();
    lane.take();
    expect(lane.given).toEqual(Array.from({ length: 80 }, (_, x) => [x, 8]));
  });

  it('is copied once where its function makes arrays of its own', () => {
    const { push, output, given, take } = stacking({ size: 8, rows: 1, aligned: false, asks: false, shape: LARGE });
    const bytes = copied(() => {
      for (let from = 0; from < 80; from += 8) {
        push(from, from + 8);
        output.endChunk();
        take();
      }
    });
    expect(bytes).toBeGreaterThanOrEqual(80 * BYTES);
    expect(bytes).toBeLessThan(80 * BYTES + 10_000);
    expect(given.length).toBe(80);
  });

  it('is the same whatever else its slot is needed for meanwhile', () => {
    const steps = fc.array(
      fc.oneof(
        fc.record({ push: fc.integer({ min: 1, max: 9 }) }),
        fc.constantFrom('endChunk' as const, 'landmark' as const, 'take' as const, 'flush' as const),
      ),
      { maxLength: 30 },
    );
    const shapes = fc.constantFrom(LARGE, shapeOf(8, 64 << 20), shapeOf(2, 4 << 20));
    const given = fc.record({
      size: fc.integer({ min: 1, max: 7 }),
      rows: fc.integer({ min: 1, max: 4 }),
      aligned: fc.constant(false),
      asks: fc.boolean(),
      shape: shapes,
    });
    fc.assert(
      fc.property(given, steps, (setting, todo) => {
        const lane = stacking(setting);
        /** Rows that batches are expected to have, in order. */
        const sizes: number[] = [];
        let [pushed, held] = [0, 0];
        for (const step of todo) {
          // Nobody else takes anything, and a lane that waits for room would wait for ever.
          lane.take();
          if (typeof step === 'object') {
            for (let one = 0; one < step.push; one++) {
              lane.push(pushed, ++pushed);
              if (++held === setting.size) {
                sizes.push(held);
                held = 0;
              }
              lane.take();
            }
          } else if (step === 'flush') {
            lane.flush();
            if (held > 0) sizes.push(held);
            held = 0;
            if (lane.output.count >= lane.output.limit) lane.output.full();
          } else if (step === 'endChunk') lane.output.endChunk();
          else if (step === 'landmark') lane.output.landmark({ epoch: 0, index: pushed });
        }
        lane.take();
        lane.flush();
        if (held > 0) sizes.push(held);
        if (lane.output.count >= lane.output.limit) lane.output.full();
        lane.take();
        lane.output.flushEpoch();
        lane.take();
        expect(lane.given.map(([x]) => x)).toEqual(Array.from({ length: pushed }, (_, x) => x));
        expect(lane.given.map(([, rows]) => rows)).toEqual(sizes.flatMap(rows => new Array<number>(rows).fill(rows)));
      }),
      { numRuns: 60 },
    );
  });
});
