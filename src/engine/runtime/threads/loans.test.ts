import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainShape, shapeOf } from '../../../graph/channel-shape.ts';
import { Clock } from '../books/clock.ts';
import { sharedTotals } from '../books/totals.ts';
import { Delivery } from '../checkpoint/delivery.ts';
import { ChunkEncoder } from '../chunk/index.ts';
import { allocateRing, RingConsumer, RingProducer } from '../ring/index.ts';
import { leaseOf } from '../run/loan.ts';
import { MemoryGuard } from '../stage/memory-guard.ts';
import { Consumer } from './consumer.ts';
import { Loans } from './loans.ts';

const SPARES = 2;

/** A channel that one test fills and empties: a call that would have to wait fails. */
function channel(shape: Parameters<typeof allocateRing>[0], inChunk: number, bytes = 10_000) {
  const clock = new Clock(process.hrtime.bigint());
  const memory = allocateRing(shape, { spares: SPARES });
  const producer = new RingProducer(memory, clock);
  producer.meanwhile = () => {
    throw new Error('the lane waits');
  };
  const totals = sharedTotals({ operators: 1, inputs: 1, outputs: 0 });
  const consumer = new Consumer(
    new MemoryGuard(2 ** 30, () => 2 ** 30),
    new RingConsumer(memory, clock, totals.inputs[0]),
    clock,
    new Delivery(undefined, 0, undefined),
    totals,
    true,
  );
  const loans = new Loans(
    memory.data,
    Array.from({ length: SPARES }, (_, spare) => memory.largeSlots + spare),
  );
  consumer.loans = loans;
  const encoder = new ChunkEncoder();
  let [made, taken] = [0, 0];
  return {
    loans,
    consumer,
    /** Makes chunks while there is room, in the slot where it can. */
    fill(): void {
      while (producer.hasRoom(made) && producer.place(made) !== undefined) {
        const values = Array.from({ length: inChunk }, (_, at) => new Uint8Array(bytes).fill(made * inChunk + at));
        const place = made % 2 === 0 ? producer.place(made) : undefined;
        producer.write(made, encoder.encode(values, 0, inChunk, undefined, place), inChunk, 0, 0);
        made++;
      }
    },
    async take() {
      const values = (await consumer.next(true)) as Uint8Array[];
      return values.map((value, at) => ({ lease: leaseOf(value, consumer.loan), number: taken++, at }));
    },
  };
}

const isRight = (value: Uint8Array, number: number): boolean => value.every(byte => byte === number % 256);

describe('elements that are lent until they are given back', () => {
  it('never change before they are given back, in any order; too many are copies, without a wait', async () => {
    const shapes = fc.constantFrom(plainShape(1, 1 << 16), plainShape(3, 3 << 16), shapeOf(2, 4 << 20));
    const steps = fc.array(fc.oneof(fc.constant('take' as const), fc.nat(20)), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(shapes, fc.integer({ min: 1, max: 3 }), steps, async (shape, inChunk, todo) => {
        const { fill, take, loans } = channel(shape, inChunk, shape.smallBytes > 0 ? 200_000 : 10_000);
        const held: Awaited<ReturnType<typeof take>> = [];
        for (const step of todo) {
          fill();
          if (step === 'take') held.push(...(await take()));
          else if (held.length > 0) {
            const [given] = held.splice(step % held.length, 1);
            if (given === undefined) continue;
            expect(isRight(given.lease.value, given.number)).toBe(true);
            given.lease.release();
            // Again is nothing.
            given.lease[Symbol.dispose]();
          }
          fill();
          const lent = held.filter(({ lease }) => lease.isLent);
          const chunks = new Set(lent.map(({ number }) => Math.floor(number / inChunk)));
          expect(loans.free).toBe(SPARES - chunks.size);
          expect(held.every(({ lease, number }) => isRight(lease.value, number))).toBe(true);
          expect(lent.every(({ lease }) => lease.value.buffer instanceof SharedArrayBuffer)).toBe(true);
        }
      }),
      { numRuns: 100 },
    );
  });

  it('come back when nothing refers to them, and not while a part of one is still read', async () => {
    const { fill, take, loans } = channel(plainShape(3, 3 << 16), 1);
    fill();
    const parts: Uint8Array[] = [];
    /** Two leases that nobody has any more when this is over; of one, a part of a part is kept. */
    const forget = async (): Promise<void> => {
      const [first] = await take();
      const [second] = await take();
      parts.push((first?.lease.value ?? new Uint8Array()).subarray(10, 20).subarray(5));
      expect([first?.lease.isLent, second?.lease.isLent, loans.free]).toEqual([true, true, 0]);
    };
    await forget();
    await collected(() => loans.free > 0);
    expect(loans.free).toBe(1);
    for (let more = 0; more < 20; more++) {
      fill();
      for (const { lease, number } of await take()) {
        expect(isRight(lease.value, number)).toBe(true);
        lease.release();
      }
      expect(isRight(parts[0] ?? new Uint8Array(1).fill(9), 0)).toBe(true);
    }
    expect(loans.free).toBe(1);
    parts.length = 0;
    await collected(() => loans.free === SPARES);
    expect(loans.free).toBe(SPARES);
  });
});

/** Collects garbage until it is so, a while at most. */
async function collected(done: () => boolean): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let tries = 0; tries < 50 && !done(); tries++) {
    collect();
    await new Promise(resolve => setTimeout(resolve, 2));
  }
}
