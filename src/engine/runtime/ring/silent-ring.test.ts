import { describe, expect, it } from 'vitest';
import { Clock } from '../books/clock.ts';
import { allocateRing, PART, RingConsumer, RingProducer } from './index.ts';

const clock = new Clock(process.hrtime.bigint());
const NOTHING = new Uint8Array(0);

describe('a silent ring', () => {
  function silent(slots: number): { lanes: RingProducer[]; consumer: RingConsumer } {
    const memory = allocateRing({ slots, smallBytes: 0, largeSlots: slots, largeSlotBytes: 64 }, { silent: true });
    return {
      lanes: [0, 1].map(() => new RingProducer(memory, clock)),
      consumer: new RingConsumer(memory, clock),
    };
  }

  it('lets chunks without elements pass, and keeps what is said for its reader', () => {
    const { lanes, consumer } = silent(2);
    const [producer] = lanes;
    for (let chunk = 0; chunk < 9; chunk++) expect(producer?.write(chunk, NOTHING, 0, 0, 0)).toBe(true);
    producer?.write(9, NOTHING, 0, 5, PART.end);
    expect(Array.from({ length: 11 }, (_, chunk) => consumer.isPassedOver(chunk))).toEqual([
      ...Array.from({ length: 9 }, () => true),
      false,
      false,
    ]);
    expect(consumer.receive(3)).toBe(false);
    expect(consumer.receive(9)).toBe(true);
    expect(consumer).toMatchObject({ epoch: 5, flags: PART.end });
    expect(consumer.occupied).toBe(1);
  });

  it('tells a chunk that is not there yet from one that was passed over', () => {
    const { lanes, consumer } = silent(2);
    const [one, other] = lanes;
    other?.write(1, NOTHING, 0, 0, 0);
    expect([0, 1].map(chunk => consumer.isPassedOver(chunk))).toEqual([false, true]);
    one?.write(0, NOTHING, 0, 0, 0);
    expect([0, 1].map(chunk => consumer.isPassedOver(chunk))).toEqual([true, true]);
  });

  it('does not run so far ahead of its reader that turns could be confused', () => {
    const { lanes, consumer } = silent(1);
    const [producer] = lanes;
    let chunk = 0;
    while (consumer.occupied === 0) producer?.write(chunk++, NOTHING, 0, 0, 0);
    const last = chunk - 1;
    while (consumer.isPassedOver(consumer.unclaimed)) consumer.claim();
    expect(consumer.unclaimed).toBe(last);
    expect(consumer.receive(consumer.claim())).toBe(true);
    consumer.release(last);
    expect(producer?.write(chunk, NOTHING, 0, 0, 0)).toBe(true);
    expect(consumer.isPassedOver(chunk)).toBe(true);
  });

  it('is closed like any other', () => {
    const { lanes, consumer } = silent(2);
    lanes[0]?.write(0, NOTHING, 0, 0, 0);
    consumer.close();
    expect([consumer.isPassedOver(0), consumer.receive(0)]).toEqual([false, false]);
    expect(lanes[0]?.write(1, NOTHING, 0, 0, 0)).toBe(false);
  });

  it('is gone through once by a lane that died and its successor', () => {
    const { lanes, consumer } = silent(2);
    const [dead, successor] = lanes;
    dead?.write(0, NOTHING, 0, 0, 0);
    expect(successor?.resume(0)).toBe(Number.POSITIVE_INFINITY);
    expect(successor?.write(0, NOTHING, 0, 0, 0)).toBe(true);
    expect([0, 1].map(chunk => consumer.isPassedOver(chunk))).toEqual([true, false]);
  });
});
