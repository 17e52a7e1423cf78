import { describe, expect, it } from 'vitest';
import { plainShape } from '../../../graph/channel-shape.ts';
import { Clock } from '../books/clock.ts';
import { sharedTotals } from '../books/totals.ts';
import { Delivery } from '../checkpoint/delivery.ts';
import { ChunkEncoder } from '../chunk/index.ts';
import { allocateRing, RingConsumer, RingProducer } from '../ring/index.ts';
import { MemoryGuard } from '../stage/memory-guard.ts';
import { Consumer } from './consumer.ts';

/** A clock that moves by hand, and by one at every look: what the engine does takes time, too. */
class SteppedClock extends Clock {
  time = 0;

  constructor() {
    super(process.hrtime.bigint());
  }

  override now(): number {
    return this.time++;
  }
}

function consuming(chunks: number) {
  const clock = new SteppedClock();
  const memory = allocateRing(plainShape(8, 8 << 16));
  const producer = new RingProducer(memory, clock);
  const encoder = new ChunkEncoder();
  for (let number = 0; number < chunks; number++) {
    producer.write(number, encoder.encode([number, number], 0, 2, undefined), 2, 0, 0);
  }
  const totals = sharedTotals({ operators: 1, inputs: 1, outputs: 0 });
  const consumer = new Consumer(
    new MemoryGuard(2 ** 30, () => 2 ** 30),
    new RingConsumer(memory, clock, totals.inputs[0]),
    clock,
    new Delivery(undefined, 0, undefined),
    totals,
    false,
  );
  return { clock, consumer, totals };
}

describe('what the caller does with a chunk', () => {
  it('is its own work; all before it is handed over is the engine’s', async () => {
    const { clock, consumer, totals } = consuming(3);
    for (const work of [1000, 2000, 4000]) {
      await consumer.next(true);
      clock.time += work;
    }
    // The last chunk is the caller's until it asks for more; nothing comes behind these three, so nobody asks.
    expect(totals.inOperators).toBeGreaterThanOrEqual(3000);
    expect(totals.inOperators).toBeLessThan(3000 + 100);
    expect(totals.busy).toBeGreaterThan(totals.inOperators);
  });

  it('is next to nothing where elements are counted and given up', async () => {
    const { consumer, totals } = consuming(4);
    for (let chunk = 0; chunk < 4; chunk++) await consumer.next(false);
    expect(totals.inOperators).toBeLessThan(totals.busy);
  });
});
