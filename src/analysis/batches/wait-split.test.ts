import fc from 'fast-check';
import { expect, test } from 'vitest';
import { newBatch } from './batch.ts';
import { addedWaits, splitWait, WAIT_PARTS } from './wait-split.ts';

const batch = (moments: Partial<ReturnType<typeof newBatch>>) => ({ ...newBatch('train', 1, 0), ...moments });

test('a wait is divided by what had happened to the batch until then', () => {
  const waited = batch({
    waitStart: 0,
    prepareStart: 10,
    prepareEnd: 50,
    pinStart: 70,
    pinEnd: 85,
    arrived: 90,
    waitEnd: 92,
  });
  expect(splitWait(waited, 60)).toEqual({
    notBegun: 10,
    preparing: 40,
    behindOthers: 10,
    transfer: 10,
    pinning: 15,
    queued: 5,
    rest: 2,
    forCore: 0,
  });
});

test('a prepared batch is not waited for while its consumer queues for a core', () => {
  const waited = { waitStart: 0, prepareStart: 0, prepareEnd: 40, arrived: 70, waitEnd: 80 };
  const parts = { ...addedWaits([]), preparing: 40, transfer: 15, rest: 5, forCore: 20 };
  expect(splitWait(batch({ ...waited, waitQueued: 20 }), Number.NaN)).toEqual(parts);
  // Longer than it was prepared: the rest of the queue was beside its preparation.
  expect(splitWait(batch({ ...waited, waitQueued: 60 }), Number.NaN)).toMatchObject({ preparing: 40, forCore: 40 });
});

test('what was over before the wait began takes none of it', () => {
  const waited = batch({ waitStart: 100, prepareStart: 10, prepareEnd: 50, arrived: 60, waitEnd: 103 });
  expect(splitWait(waited, 55)).toEqual({ ...addedWaits([]), rest: 3 });
});

test('of a batch whose worker is unknown, only the arrival divides the wait', () => {
  expect(splitWait(batch({ waitStart: 0, arrived: 7, waitEnd: 9 }), Number.NaN)).toEqual({
    ...addedWaits([]),
    transfer: 7,
    rest: 2,
  });
});

test('the parts always add up to the wait', () => {
  const moment = fc.oneof(fc.integer({ min: 0, max: 1000 }), fc.constant(Number.NaN));
  const moments = fc.record({
    prepareStart: moment,
    prepareEnd: moment,
    pinStart: moment,
    pinEnd: moment,
    arrived: moment,
    waitQueued: moment,
    waitStart: fc.integer({ min: 0, max: 500 }),
    waitEnd: fc.integer({ min: 500, max: 1000 }),
  });
  fc.assert(
    fc.property(moments, moment, (at, before) => {
      const split = splitWait(batch(at), before);
      const sum = WAIT_PARTS.reduce((all, part) => all + split[part], 0);
      expect(sum).toBeCloseTo(at.waitEnd - at.waitStart);
      expect(WAIT_PARTS.every(part => split[part] >= 0)).toBe(true);
    }),
  );
});
