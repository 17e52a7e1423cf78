import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainShape } from '../../../graph/channel-shape.ts';
import { Clock } from '../books/clock.ts';
import { Flow } from '../books/flow.ts';
import { allocateRing, PART, RingConsumer, type RingMemory, RingProducer, TICK_MS } from './index.ts';

const clock = new Clock(process.hrtime.bigint());

/** Both ends in one thread: what would block must not be asked for. */
function open(
  slots: number,
  largeSlotBytes: number,
  { largeSlots = slots, smallBytes = 0 } = {},
): { producer: RingProducer; consumer: RingConsumer; flows: [Flow, Flow] } {
  const memory = allocateRing({ slots, largeSlots, largeSlotBytes, smallBytes });
  const flows: [Flow, Flow] = [new Flow(), new Flow()];
  const consumer = new RingConsumer(memory, clock, flows[1]);
  memories.set(consumer, memory);
  return { producer: new RingProducer(memory, clock, flows[0]), consumer, flows };
}

const plain = (slots: number, largeSlotBytes: number) => ({ slots, smallBytes: 0, largeSlots: slots, largeSlotBytes });

/** Another end of the same ring, as another thread would have it. */
const memories = new WeakMap<RingConsumer, RingMemory>();
function memoryOf(consumer: RingConsumer): RingMemory {
  const memory = memories.get(consumer);
  if (memory === undefined) throw new Error('not opened here');
  return memory;
}
const anotherEnd = (memory: RingMemory): RingConsumer => new RingConsumer(memory, clock);

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);

describe('a ring', () => {
  it('carries chunks with what is said about them', () => {
    const { producer, consumer } = open(2, 64);
    expect(producer.write(0, bytes(1, 2, 3), 7, 4, PART.epochEnd)).toBe(true);
    expect(consumer.ready(0)).toBe(true);
    expect(consumer.claim()).toBe(0);
    expect(consumer.receive(0)).toBe(true);
    expect([...consumer.bytes]).toEqual([1, 2, 3]);
    expect(consumer).toMatchObject({ count: 7, epoch: 4, flags: PART.epochEnd });
    consumer.release(0);
    expect(consumer.ready(0)).toBe(false);
  });

  it('gives chunks in the order of their numbers, whatever the order they were written in', () => {
    const { producer, consumer } = open(3, 64);
    for (const chunk of [2, 0, 1]) producer.write(chunk, bytes(chunk), 1, 0, 0);
    const received = [0, 1, 2].map(() => {
      const chunk = consumer.claim();
      consumer.receive(chunk);
      const [value] = consumer.bytes;
      consumer.release(chunk);
      return value;
    });
    expect(received).toEqual([0, 1, 2]);
  });

  it('carries any traffic, round after round', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.uint8Array({ maxLength: 16 }), { maxLength: 40 }),
        fc.array(fc.boolean(), { maxLength: 80 }),
        (slots, chunks, turns) => {
          const { producer, consumer } = open(slots, 16);
          const received: number[][] = [];
          let written = 0;
          const writeOne = (): void => {
            const chunk = chunks[written];
            if (chunk !== undefined && written - received.length < slots) producer.write(written++, chunk, 1, 0, 0);
          };
          const readOne = (): void => {
            if (!consumer.ready(received.length)) return;
            const number = consumer.claim();
            consumer.receive(number);
            received.push([...consumer.bytes]);
            consumer.release(number);
          };
          for (const turn of turns) turn ? writeOne() : readOne();
          expect(consumer.occupied).toBe(written - received.length);
          while (received.length < chunks.length) {
            writeOne();
            readOne();
          }
          expect(received).toEqual(chunks.map(chunk => [...chunk]));
          expect(consumer.occupied).toBe(0);
        },
      ),
      { seed: 6, numRuns: 200 },
    );
  });

  it('leaves every chunk alone until it is released, small or large, whatever the order', () => {
    const size = fc.constantFrom(1, 4, 5, 16, 17, 40);
    fc.assert(
      fc.property(
        fc.constantFrom([2, 2], [4, 2], [9, 3], [12, 2]),
        fc.array(size, { maxLength: 40 }),
        fc.infiniteStream(fc.nat({ max: 5 })),
        ([slots = 0, largeSlots = 0], sizes, choices) => {
          const { producer, consumer } = open(slots, 16, { largeSlots, smallBytes: 4 });
          // What finds no room is held back: nothing blocks.
          consumer.allowance = 2 ** 20;
          const ends = [consumer, anotherEnd(memoryOf(consumer)), anotherEnd(memoryOf(consumer))];
          const held = new Map<RingConsumer, number>();
          const content = (chunk: number): number[] => Array.from({ length: sizes[chunk] ?? 0 }, () => chunk % 256);
          let [written, released] = [0, 0];
          const write = (): void => {
            const chunk = written++;
            if (chunk < sizes.length) producer.write(chunk, bytes(...content(chunk)), 1, 0, 0);
          };
          const take = (end: RingConsumer): void => {
            const chunk = held.get(end);
            if (chunk !== undefined) {
              expect([...end.bytes]).toEqual(content(chunk));
              end.release(chunk);
              held.delete(end);
              released++;
            } else if (end.ready(end.unclaimed) && (sizes[end.unclaimed] ?? 0) <= 16) {
              const next = end.claim();
              end.receive(next);
              held.set(end, next);
            }
          };
          const inParts = (): void => {
            // Only where a chunk in parts would be next: it has to be received while it is written.
            const [end = consumer] = ends.filter(each => !held.has(each));
            const next = end.unclaimed;
            if (held.size > 0 || !end.ready(next) || (sizes[next] ?? 0) <= 16) return;
            end.claim();
            end.meanwhile = () => {
              producer.flush();
              return 1;
            };
            end.receive(next);
            expect([...end.bytes]).toEqual(content(next));
            end.release(next);
            released++;
          };
          for (let step = 0; released < sizes.length; step++) {
            expect(step).toBeLessThan(10_000);
            const choice = choices.next().value;
            if (choice < 2) write();
            else if (choice < 5) take(ends[choice - 2] ?? consumer);
            else inParts();
            producer.flush();
          }
          expect(consumer.occupied).toBe(0);
        },
      ),
      { seed: 8, numRuns: 300 },
    );
  });

  it('is full with many small chunks or with few large ones', () => {
    for (const [size, fits] of [
      [4, 6],
      [5, 2],
    ] as const) {
      const { producer, consumer, flows } = open(6, 16, { largeSlots: 2, smallBytes: 4 });
      consumer.allowance = 2 ** 20;
      for (let chunk = 0; chunk < 7; chunk++) producer.write(chunk, new Uint8Array(size), 1, 0, 0);
      expect(Array.from({ length: 6 }, (_, chunk) => consumer.ready(chunk))).toEqual(
        Array.from({ length: 6 }, (_, chunk) => chunk < fits),
      );
      expect(consumer.occupied).toBe(6);
      const now = clock.now();
      expect(Flow.reading('c', [flows[0]], [flows[1]], now)).toMatchObject({
        queued: fits,
        chunks: fits,
        bytes: fits * size,
      });
      expect(Flow.reading('c', [flows[0]], [flows[1]], now + 1000).saturated).toBeGreaterThanOrEqual(1000);
    }
  });

  it('that is closed lets nothing be written over a chunk in hand', () => {
    const { producer, consumer } = open(4, 16, { largeSlots: 2, smallBytes: 4 });
    for (const chunk of [0, 1]) producer.write(chunk, bytes(7, 7, 7, 7, 7 + chunk), 1, 0, 0);
    consumer.claim();
    consumer.receive(0);
    // The producer waits for the slot of the chunk in hand when the ring is closed.
    producer.meanwhile = () => {
      consumer.close();
      return 1;
    };
    expect(producer.write(2, bytes(9, 9, 9, 9, 9), 1, 0, 0)).toBe(false);
    expect([...consumer.bytes]).toEqual([7, 7, 7, 7, 7]);
  });

  it('keeps a chunk of several pieces under one number', () => {
    const { producer, consumer } = open(2, 64);
    const other = new RingProducer(memoryOf(consumer), clock);
    producer.write(0, bytes(1), 1, 0, PART.again);
    other.write(1, bytes(9), 1, 0, 0);
    consumer.receive(0);
    expect([...consumer.bytes]).toEqual([1]);
    consumer.release(0);
    expect(consumer.ready(0)).toBe(false);
    producer.write(0, bytes(2), 1, 0, 0);
    consumer.receive(0);
    expect([...consumer.bytes]).toEqual([2]);
    consumer.release(0);
    consumer.receive(1);
    expect([...consumer.bytes]).toEqual([9]);
  });

  it('lets nobody wait for what comes after the end', () => {
    const { producer, consumer } = open(3, 64);
    producer.write(0, bytes(1), 1, 0, 0);
    producer.write(1, bytes(), 0, 0, PART.end);
    const [first, end, beyond] = [consumer.claim(), consumer.claim(), consumer.claim()];
    consumer.receive(end);
    consumer.ended(end);
    consumer.release(end);
    expect(consumer.receive(beyond)).toBe(false);
    // A chunk before the end may still be worked on, or not even be written yet.
    expect(consumer.receive(first)).toBe(true);
    consumer.release(first);
    expect(consumer.receive(3)).toBe(false);
    expect(consumer.receive(4)).toBe(false);
  });

  it('lets a chunk before the end come after it', () => {
    const { producer, consumer } = open(3, 64);
    producer.write(1, bytes(), 0, 0, PART.end);
    consumer.receive(1);
    consumer.ended(1);
    consumer.release(1);
    expect(producer.write(0, bytes(5), 1, 0, 0)).toBe(true);
    expect(consumer.receive(0)).toBe(true);
    expect([...consumer.bytes]).toEqual([5]);
  });

  describe('a lane that dies', () => {
    it('leaves behind which chunk it had, and none that it had finished', () => {
      const { producer, consumer } = open(2, 64);
      const successor = (): ReturnType<RingConsumer['inherit']> => anotherEnd(memoryOf(consumer)).inherit(3);
      for (let chunk = 0; chunk < 9; chunk++) {
        producer.write(chunk, bytes(chunk), 1, 0, 0);
        expect(consumer.claim(3)).toBe(chunk);
        expect(successor()).toEqual({ chunk, madeBefore: 0 });
        consumer.receive(chunk);
        expect(successor()).toEqual({ chunk, madeBefore: 0 });
        consumer.release(chunk);
        expect(successor()).toBeUndefined();
      }
      expect(anotherEnd(memoryOf(consumer)).inherit(4)).toBeUndefined();
    });

    it('leaves behind how much it had made of the pieces before', () => {
      const { producer, consumer } = open(2, 64);
      producer.write(0, bytes(1), 1, 0, PART.again);
      consumer.receive(consumer.claim(0));
      consumer.release(0, 17);
      producer.write(0, bytes(2), 1, 0, PART.again);
      const second = anotherEnd(memoryOf(consumer));
      expect(second.inherit(0)).toEqual({ chunk: 0, madeBefore: 17 });
      second.receive(0);
      expect([...second.bytes]).toEqual([2]);
      second.release(0, 40);
      expect(anotherEnd(memoryOf(consumer)).inherit(0)).toEqual({ chunk: 0, madeBefore: 40 });
    });

    it('leaves nothing to go on from while it holds elements of pieces that are gone', () => {
      const { producer, consumer } = open(2, 64);
      const successor = (): ReturnType<RingConsumer['inherit']> => anotherEnd(memoryOf(consumer)).inherit(0);
      producer.write(0, bytes(1), 1, 0, PART.again);
      consumer.receive(consumer.claim(0));
      expect(successor()).toEqual({ chunk: 0, madeBefore: 0 });
      consumer.release(0, 0, true);
      expect(successor()).toBe('incomplete');
      producer.write(0, bytes(2), 1, 0, PART.again);
      consumer.receive(0);
      expect(successor()).toBe('incomplete');
      consumer.release(0, 1);
      expect(successor()).toEqual({ chunk: 0, madeBefore: 1 });
    });

    it('also where there were so many pieces that their numbers come round', () => {
      const { producer, consumer } = open(2, 64);
      consumer.claim(0);
      for (let piece = 0; piece < 5000; piece++) {
        producer.write(0, bytes(1), 1, 0, PART.again);
        expect(new RingProducer(memoryOf(consumer), clock).resume(0)).toBe(piece + 1);
        consumer.receive(0);
        consumer.release(0, 2 * (piece + 1));
        expect(new RingProducer(memoryOf(consumer), clock).resume(0)).toBe(piece + 1);
        expect(anotherEnd(memoryOf(consumer)).inherit(0)).toEqual({ chunk: 0, madeBefore: 2 * (piece + 1) });
      }
    });

    it('leaves behind how much of a chunk it had handed over', () => {
      const { producer, consumer } = open(2, 8);
      const next = (): RingProducer => new RingProducer(memoryOf(consumer), clock);
      expect(next().resume(0)).toBe(0);
      producer.write(0, bytes(1), 5, 0, PART.again);
      expect(next().resume(0)).toBe(5);
      consumer.receive(0);
      consumer.release(0);
      const successor = next();
      expect(successor.resume(0)).toBe(5);
      successor.write(0, bytes(2), 3, 0, 0);
      // All of it: whether it was read or not.
      expect(next().resume(0)).toBe(Number.POSITIVE_INFINITY);
      consumer.receive(0);
      expect([...consumer.bytes]).toEqual([2]);
      consumer.release(0);
      const late = next();
      expect(late.resume(0)).toBe(Number.POSITIVE_INFINITY);
      expect(late.write(0, bytes(9), 1, 0, 0)).toBe(true);
      expect(consumer.occupied).toBe(0);
    });
  });

  it('ends all traffic when it is closed', async () => {
    const { producer, consumer } = open(2, 64);
    const waiting = consumer.receiveAsync(0);
    consumer.close();
    expect(await waiting).toBe(false);
    expect(producer.write(0, bytes(1), 1, 0, 0)).toBe(false);
    expect(consumer.receive(1)).toBe(false);
  });

  it('wakes a thread that must not block, and gathers parts for it', async () => {
    const { producer, consumer } = open(1, 8);
    const waiting = consumer.receiveAsync(0);
    await Promise.resolve();
    producer.write(0, bytes(1, 2, 3, 4, 5, 6, 7, 8), 2, 0, 0);
    expect(await waiting).toBe(true);
    expect([...consumer.bytes]).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(consumer.waited).toBeGreaterThan(0);
  });

  it('lets bytes through no faster than its line, and tells that apart from being full', () => {
    const memory = allocateRing(plain(2, 64), { bytesPerSecond: 1000 });
    const flow = new Flow();
    const producer = new RingProducer(memory, clock, flow);
    const consumer = new RingConsumer(memory, clock);
    const began = clock.now();
    producer.write(0, bytes(1, 2, 3, 4, 5), 1, 0, 0);
    producer.write(1, bytes(6, 7, 8, 9, 10), 1, 0, 0);
    // Ten bytes at a thousand a second: never earlier than after 10 ms, whatever the machine does.
    expect(clock.now() - began).toBeGreaterThanOrEqual(10e6);
    expect(producer.transported).toBeGreaterThanOrEqual(9.9e6);
    expect(producer.waited).toBe(producer.transported);
    expect(Flow.reading('', [flow], [], clock.now()).transport).toBe(producer.transported);
    expect(consumer.receive(0) && [...consumer.bytes]).toEqual([1, 2, 3, 4, 5]);
  });

  it('carries wishes upstream', () => {
    const { producer, consumer } = open(2, 64);
    expect([producer.skipBefore, producer.consumerPace, producer.leastElements]).toEqual([0, 0, 0]);
    consumer.skipTo(3);
    consumer.skipTo(2);
    consumer.paced(12.5);
    consumer.leastElements = 32;
    expect([producer.skipBefore, producer.consumerPace, producer.leastElements]).toEqual([3, 12.5, 32]);
  });

  it('keeps account of what is in it at both ends', () => {
    const { producer, consumer, flows } = open(2, 64);
    producer.write(0, bytes(1), 1, 0, 0);
    producer.write(1, bytes(1), 1, 0, 0);
    consumer.receive(0);
    consumer.release(0);
    const now = clock.now();
    const reading = Flow.reading('c', [flows[0]], [flows[1]], now);
    expect(reading.queued).toBe(1);
    expect(reading.occupancy).toBeGreaterThan(0);
    expect(reading.saturated).toBeGreaterThan(0);
    expect(reading.saturated).toBeLessThanOrEqual(reading.occupancy);
  });
});

describe('a lane that waits', () => {
  it('tells how long it has waited, also where each wait is shorter than the time between two tellings', () => {
    const memory = allocateRing(plainShape(2, 2 * 4096));
    // Each look at the clock takes 10 ms.
    let now = 0;
    const clock = { now: () => (now += 1e7) } as Clock;
    const [producer, consumer] = [new RingProducer(memory, clock), new RingConsumer(memory, clock)];
    let taken = 0;
    producer.meanwhile = () => {
      consumer.receive(taken);
      consumer.release(taken++);
      return 0;
    };
    const told: number[] = [];
    producer.onTick = () => told.push(producer.waited);
    for (let chunk = 0; chunk < 60; chunk++) producer.write(chunk, new Uint8Array(8), 1, 0, 0);
    expect(told.length).toBeGreaterThan(5);
    expect(producer.waited - (told.at(-1) ?? 0)).toBeLessThan(2 * TICK_MS * 1e6);
  });
});
