import { describe, expect, it } from 'vitest';
import { type Claimant, SlotPool } from './slot-pool.ts';

const PAGE = 4096;
const going = (): boolean => false;

/** A pool of slots that together hold so many pages, and its first lane. */
function poolOf(slots: number, pages: number) {
  const pool = SlotPool.of(slots, pages * PAGE);
  const lane = { ...pool.enter(0, 8), batch: 0 };
  return { pool, lane, claim: (bytes = PAGE) => pool.claim(lane, bytes, going) };
}

describe('a pool of slots', () => {
  it('gives each slot to one lane at a time, and gives it again when it was released', () => {
    const { pool, claim } = poolOf(3, 100);
    const claimed = [claim(), claim(), claim()];
    expect(claimed.toSorted()).toEqual([0, 1, 2]);
    expect(claim()).toBeUndefined();
    pool.lend(1);
    pool.release(1);
    expect(claim()).toBe(1);
  });

  it('has the same state in every thread that shares its memory', () => {
    const { pool, claim } = poolOf(1, 100);
    const elsewhere = new SlotPool(pool.memory);
    expect(claim()).toBe(0);
    expect(elsewhere.claim({ ...elsewhere.enter(1, 8), batch: 0 }, PAGE, going)).toBeUndefined();
  });

  it('has two slots for each lane and two for the consumer', () => {
    const pool = SlotPool.of(100, 100 * PAGE);
    const lane = { ...pool.enter(0, 3), batch: 0 };
    const claimed = Array.from({ length: 10 }, () => pool.claim(lane, PAGE, going));
    expect(claimed.filter(slot => slot !== undefined)).toHaveLength(8);
  });

  it('says which batch had no room first, and how many slots would hold that one', () => {
    const { pool, claim } = poolOf(4, 5);
    expect([claim(4 * PAGE), claim(PAGE), claim(3 * PAGE + 1)]).toEqual([0, 1, undefined]);
    expect(claim(2 * PAGE)).toBeUndefined();
    expect([pool.shortOf, pool.filledWith(pool.shortOf)]).toEqual([3 * PAGE + 1, 1]);
  });

  it('lets no more bytes lie in slots than it was given, counts those of free slots, and says so', () => {
    const { pool, claim } = poolOf(4, 5);
    expect([claim(2 * PAGE), claim(2 * PAGE)]).toEqual([0, 1]);
    expect(pool.shortOf).toBe(0);
    expect(claim(2 * PAGE)).toBeUndefined();
    expect([pool.shortOf, pool.filledWith(pool.shortOf)]).toEqual([2 * PAGE, 2]);
    expect(claim(PAGE)).toBe(2);
    pool.release(0);
    expect(claim(3 * PAGE)).toBeUndefined();
    expect(claim(2 * PAGE)).toBe(0);
  });

  it('takes a slot that is large enough before another has to grow', () => {
    const { pool, claim } = poolOf(3, 10);
    expect([claim(PAGE), claim(4 * PAGE)]).toEqual([0, 1]);
    pool.release(0);
    pool.release(1);
    expect(claim(3 * PAGE)).toBe(1);
  });

  it('goes without slots whose files cannot grow', () => {
    const { pool, claim } = poolOf(3, 100);
    expect([claim(), claim()]).toEqual([0, 1]);
    pool.full(1, PAGE);
    expect(claim()).toBeUndefined();
    pool.release(0);
    expect(claim()).toBe(0);
  });

  it('takes back what a dead lane had claimed, and not what its successor or another lane has', () => {
    const pool = SlotPool.of(6, 100 * PAGE);
    const [dead, other] = [pool.enter(0, 2), pool.enter(1, 2)];
    const claim = (lane: Claimant, batch: number) => pool.claim({ ...lane, batch }, PAGE, going);
    pool.arrived({ ...dead, batch: 0 });
    pool.arrived({ ...other, batch: 0 });
    expect([claim(dead, 1), claim(other, 1), claim(dead, 2)]).toEqual([0, 1, 2]);
    pool.lend(0);
    const successor = pool.enter(0, 2);
    expect(claim(successor, 0)).toBe(3);
    expect(pool.free).toBe(2);
    pool.arrived({ ...successor, batch: 0 });
    expect(pool.free).toBe(3);
    expect(claim(successor, 1)).toBe(2);
    // What comes later is still on its way.
    pool.arrived({ ...successor, batch: 0 });
    expect(pool.free).toBe(2);
  });

  it('takes back what a lane wrote once more of what its dead one had handed on, and was dropped', () => {
    const pool = SlotPool.of(6, 100 * PAGE);
    const successor = pool.enter(0, 2);
    const claimed = [0, 1, 2, 3].map(batch => pool.claim({ ...successor, batch }, PAGE, going));
    expect(claimed).toEqual([0, 1, 2, 3]);
    // The first two had arrived from the dead one.
    pool.arrived({ ...successor, batch: 2 });
    pool.lend(2);
    expect(pool.free).toBe(4);
    pool.arrived({ ...successor, batch: 3 });
    expect(pool.free).toBe(4);
  });
});
