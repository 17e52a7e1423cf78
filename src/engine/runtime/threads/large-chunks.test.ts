import { describe, expect, it } from 'vitest';
import { plainShape } from '../../../graph/channel-shape.ts';
import { Clock } from '../books/clock.ts';
import { Flow } from '../books/flow.ts';
import { sharedTotals } from '../books/totals.ts';
import { ChunkDecoder } from '../chunk/index.ts';
import { allocateRing, RingConsumer, RingProducer } from '../ring/index.ts';
import { type OutputOptions, RingOutput } from './ring-output.ts';

/** Of a stage that numbers its chunks. */
const OPTIONS: OutputOptions = {
  identity: false,
  aligned: false,
  rowLength: 0,
  whole: 1,
  start: undefined,
  chunkElements: undefined,
  mostElements: undefined,
  readers: [1],
  memory: { allowance: 2 ** 20, held: 0, check: () => undefined },
};

describe('chunks that no smaller cut would let pass whole', () => {
  /** Elements of so many bytes each, as chunks of `together` of them that lanes make batches of `whole` of, through slots of 4096 bytes. */
  function counted(bytes: number, together: number, whole = 1) {
    const clock = new Clock(process.hrtime.bigint());
    const shared = allocateRing(plainShape(64, 64 << 12));
    const totals = sharedTotals({ operators: 3, inputs: 1, outputs: 1 });
    const producer = new RingProducer(shared, clock, totals.outputs[0]);
    // Nobody takes a part so that the next can follow: it is held back.
    producer.allowance = 2 ** 20;
    const output = new RingOutput([producer], clock, { ...OPTIONS, chunkElements: together, whole });
    for (let at = 0; at < 8; at++) {
      output.values[output.count++] = new Uint8Array(bytes);
      if (output.count >= output.limit) output.full();
    }
    output.mark('end');
    return Flow.reading('c', totals.outputs, [], 0).inParts;
  }

  it('are counted where one element, or one batch of elements, is larger than a slot', () => {
    for (const [bytes, together, whole, chunks] of [
      [1000, 1, 1, 0],
      [5000, 1, 1, 8],
      [1000, 8, 8, 1],
      [1000, 4, 4, 0],
    ] as const) {
      const inParts = counted(bytes, together, whole);
      expect([bytes, together, inParts.chunks]).toEqual([bytes, together, chunks]);
      if (chunks === 0) expect(inParts).toEqual({ chunks: 0, bytes: 0, largest: 0 });
      else expect(inParts.largest).toBeGreaterThanOrEqual((bytes * 8) / chunks);
    }
  });

  it('are none where fewer elements would fit: the next chunk has fewer', () => {
    expect(counted(1000, 8).chunks).toBe(0);
  });
});

describe('a large chunk', () => {
  /** Elements of so many bytes that each is a large chunk, or nearly. */
  const bytesOf = (x: number): Uint8Array => new Uint8Array(900).fill(x);

  it('is made in its slot, which the lane waits for where it is not free', () => {
    const clock = new Clock(process.hrtime.bigint());
    const shared = allocateRing({ slots: 4, smallBytes: 512, largeSlots: 2, largeSlotBytes: 4096 });
    const producer = new RingProducer(shared, clock);
    const places: boolean[] = [];
    const place = producer.place.bind(producer);
    producer.place = chunk => {
      const found = place(chunk);
      places.push(found !== undefined);
      return found;
    };
    const consumer = new RingConsumer(shared, clock);
    const decoder = new ChunkDecoder();
    let next = 0;
    const take = (): unknown[] => {
      consumer.receive(next);
      const { values } = decoder.decode(consumer.bytes);
      consumer.release(next++);
      return values;
    };
    let waited = 0;
    producer.meanwhile = () => {
      waited++;
      taken.push(take());
      return 0;
    };
    const taken: unknown[][] = [];
    const output = new RingOutput([producer], clock, { ...OPTIONS, chunkElements: 1 });
    for (let x = 0; x < 6; x++) {
      output.values[output.count++] = bytesOf(x);
      output.full();
    }
    while (consumer.ready(next)) taken.push(take());
    expect(taken).toEqual(Array.from({ length: 6 }, (_, x) => [bytesOf(x)]));
    // What an element weighs is not known of the first; two large slots hold two chunks.
    expect(places).toEqual([true, true, true, true, true]);
    expect(waited).toBe(4);
  });
});
