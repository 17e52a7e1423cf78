import { describe, expect, it } from 'vitest';
import { plainShape } from '../../../graph/channel-shape.ts';
import { operatorKind } from '../../operators/registry.ts';
import { Clock } from '../books/clock.ts';
import { sharedTotals } from '../books/totals.ts';
import { ChunkDecoder } from '../chunk/index.ts';
import { allocateRing, PART, RingConsumer, RingProducer, readLandmark } from '../ring/index.ts';
import { Unwanted } from '../stage/output.ts';
import { Sampler } from '../stage/sampler.ts';
import { CompiledSegment } from '../stage/segment.ts';
import { type OutputOptions, RingOutput } from './ring-output.ts';

const ROW = 4;
const ROOMY = { allowance: 2 ** 20, held: 0, check: () => undefined };
const SIZE = { operators: 3, inputs: 1, outputs: 1 };

/** A stage that ends in batches of four, and what came out of it. */
function batching(call: (x: number) => unknown, rows: number, sampler?: Sampler) {
  const clock = new Clock(process.hrtime.bigint());
  const memory = allocateRing(plainShape(64, 64 << 16));
  const output = new RingOutput([new RingProducer(memory, clock)], clock, {
    identity: false,
    aligned: false,
    rowLength: ROW,
    whole: 1,
    start: undefined,
    chunkElements: rows,
    mostElements: undefined,
    readers: [1],
    memory: ROOMY,
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
      stacks: [],
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

/** A divided stage's output, its elements numbers, and who reads it. A lane that would have to wait fails instead. */
function divided(chunkElements: number | undefined, memory: OutputOptions['memory'] = ROOMY) {
  const clock = new Clock(process.hrtime.bigint());
  const shared = allocateRing(plainShape(4, 4 << 16));
  const producer = new RingProducer(shared, clock);
  producer.meanwhile = () => {
    throw new Error('the lane waits');
  };
  const output = new RingOutput([producer], clock, {
    identity: false,
    aligned: true,
    rowLength: 0,
    whole: 1,
    start: undefined,
    chunkElements,
    mostElements: undefined,
    readers: [1],
    memory,
  });
  const consumer = new RingConsumer(shared, clock);
  return {
    output,
    consumer,
    /** Makes `count` elements and says whenever the output is full that more follow. */
    make(count: number): void {
      for (let made = 0; made < count; made++) {
        output.values[output.count++] = made;
        if (output.count >= output.limit) output.full();
      }
    },
    /** Receives a part of a chunk: elements in it, and whether more parts follow. */
    receive(chunk: number): readonly [elements: number, isContinued: boolean] {
      consumer.receive(chunk);
      const received = [consumer.count, (consumer.flags & PART.again) !== 0] as const;
      consumer.release(chunk);
      return received;
    },
    /** The first chunk, by which sizes are known. */
    begin(): void {
      output.startChunk(0);
      output.values[output.count++] = 0;
      output.endChunk();
    },
  };
}

describe('the chunks of a divided stage', () => {
  it('end with their last elements, so that nobody waits for a consumer to be done with those', () => {
    const { output, receive } = divided(1);
    for (const chunk of [0, 1, 2]) {
      output.startChunk(chunk);
      output.values[0] = `element ${chunk}`;
      output.count = 1;
      output.full(false);
      expect(output.count).toBe(1);
      output.endChunk();
    }
    for (const chunk of [0, 1, 2]) expect(receive(chunk)).toEqual([1, false]);
  });

  it('are gathered whole while nobody waits for them, so that lanes do not wait for chunks before theirs', () => {
    const { output, make, receive, begin } = divided(undefined);
    begin();
    for (const chunk of [1, 2]) {
      output.startChunk(chunk);
      make(100);
      output.endChunk();
    }
    expect([receive(0), receive(1), receive(2)]).toEqual([
      [1, false],
      [100, false],
      [100, false],
    ]);
  });

  it('leave in parts while someone waits for them', () => {
    const { output, consumer, make, receive, begin } = divided(undefined);
    begin();
    output.startChunk(1);
    make(3);
    expect(output.count).toBe(3);
    expect([consumer.claim(), receive(0), consumer.claim()]).toEqual([0, [1, false], 1]);
    make(1);
    expect(output.count).toBe(0);
    // The consumer is at work on that part.
    make(2);
    expect(output.count).toBe(2);
    expect(receive(1)).toEqual([4, true]);
    make(1);
    expect(receive(1)).toEqual([3, true]);
    output.endChunk();
    expect(receive(1)).toEqual([0, false]);
  });

  it('are offered at once where a whole part is there and someone waits for it', () => {
    const { output, consumer, make, receive, begin } = divided(undefined);
    begin();
    output.startChunk(1);
    make(3);
    expect([output.isTakeable, consumer.claim(), receive(0), output.isTakeable]).toEqual([false, 0, [1, false], false]);
    consumer.claim();
    expect([output.isTakeable, output.offer(), receive(1)]).toEqual([true, false, [3, true]]);
  });

  it('are gathered only within what a slot holds, and the memory of the lane', () => {
    const bytes = { allowance: 2 ** 20, held: 0, check: () => undefined };
    const { output, make, begin } = divided(undefined, bytes);
    begin();
    output.startChunk(1);
    make(30);
    bytes.held = 2 ** 20;
    make(30);
    // The first part has gone, and another would have to wait.
    expect(output.count).toBeLessThan(60);
    bytes.held = 0;
    expect(() => make(2 ** 16)).toThrow('the lane waits');
    expect(output.count).toBeLessThan(2 ** 16);
    expect(output.count).toBeGreaterThan(100);
  });

  it('are given up where nobody will read them', () => {
    const { output, consumer, make, begin } = divided(undefined);
    begin();
    output.startChunk(1);
    make(3);
    consumer.close();
    expect(() => make(1)).toThrow(Unwanted);
  });
});

/** The output of a stage that numbers its chunks, which are to hold whole multiples of four, and who reads it. */
function counting(chunkElements: number | undefined) {
  const clock = new Clock(process.hrtime.bigint());
  const shared = allocateRing(plainShape(16, 16 << 12));
  const output = new RingOutput([new RingProducer(shared, clock)], clock, {
    identity: false,
    aligned: false,
    rowLength: 0,
    whole: ROW,
    start: { epoch: 0, index: 8 },
    chunkElements,
    mostElements: undefined,
    readers: [1],
    memory: ROOMY,
  });
  const consumer = new RingConsumer(shared, clock);
  let next = 0;
  let parts: number[] = [];
  return {
    output,
    consumer,
    make(count: number): void {
      for (let made = 0; made < count; made++) {
        output.values[output.count++] = made;
        if (output.count >= output.limit) output.full();
      }
    },
    /** Elements of the parts that have come, those of one chunk together; a landmark as what was sent before it. */
    received(): (number[] | string)[] {
      const chunks: (number[] | string)[] = [];
      while (consumer.ready(next)) {
        consumer.receive(next);
        if ((consumer.flags & PART.landmark) !== 0) chunks.push(`${readLandmark(consumer.bytes).sent} sent`);
        else parts.push(consumer.count);
        const isContinued = (consumer.flags & PART.again) !== 0;
        consumer.release(next);
        if (isContinued) continue;
        next++;
        if (parts.length > 0) chunks.push(parts);
        parts = [];
      }
      return chunks;
    },
  };
}

describe('chunks of which lanes make whole batches', () => {
  it('hold whole multiples of a batch, but for the rest of a pass', () => {
    for (const [chunkElements, expected] of [
      [1, [[4], [4], [3], [0]]],
      [9, [[8], [3], [0]]],
    ] as const) {
      const { output, make, received } = counting(chunkElements);
      make(11);
      output.mark('epochEnd');
      expect(received()).toEqual(expected);
    }
  });

  it('are not cut short for a consumer that waits, before a batch is whole', () => {
    const { output, make, received } = counting(undefined);
    make(3);
    output.endChunk();
    expect(received()).toEqual([]);
    make(1);
    expect(received()).toEqual([[4]]);
  });

  it('leave in parts while a source has to be waited for, and are whole all the same', () => {
    const { output, make, received } = counting(undefined);
    make(3);
    output.offer();
    expect([output.missing, received()]).toEqual([1, []]);
    make(1);
    make(4);
    output.endChunk();
    expect(received()).toEqual([[3, 1], [4]]);
    make(2);
    output.offer();
    expect(received()).toEqual([]);
    output.mark('epochEnd');
    expect(received()).toEqual([[2, 0], [0]]);
  });

  it('tell with a landmark how many elements of the pass were sent, from where the run was resumed', () => {
    const { output, make, received } = counting(4);
    make(8);
    output.landmark({ epoch: 0, index: 3 });
    make(2);
    output.mark('epochEnd');
    output.landmark({ epoch: 1, index: 0 });
    expect(received()).toEqual([[4], [4], '16 sent', [2], [0], '0 sent']);
  });
});
