import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { TimeLimit } from './time-limit.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const hours = (): Promise<void> => new Promise(resolve => setTimeout(resolve, 1e7));
const after = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms));
const limitOf = (ms: number, parent = new AbortController()): TimeLimit =>
  new TimeLimit(ms, parent.signal, () => new Error('too late'));

it('ends what takes longer, counting all its parts together', async () => {
  const limit = limitOf(100);
  const parts = (async () => {
    await limit.during(() => after(60));
    expect(limit.signal.aborted).toBe(false);
    await limit.during(hours);
  })();
  await vi.advanceTimersByTimeAsync(99);
  expect(limit.signal.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(limit.signal.reason).toEqual(new Error('too late'));
  await vi.advanceTimersByTimeAsync(1e8);
  await parts;
});

it('counts time once where several parts are under way, and none while it waits for its turn', async () => {
  const limit = limitOf(100);
  const parts = Promise.all([limit.during(() => after(90)), limit.during(() => after(90))]);
  await vi.advanceTimersByTimeAsync(90);
  await parts;
  const waiting = limit.during(async () => {
    await limit.except(hours);
    await after(5);
  });
  await vi.advanceTimersByTimeAsync(1e8);
  await waiting;
  expect(limit.signal.aborted).toBe(false);
  void limit.during(hours);
  await vi.advanceTimersByTimeAsync(6);
  expect(limit.signal.aborted).toBe(true);
});

it('ends with what it is part of, for the same reason', () => {
  const parent = new AbortController();
  const [early, closed] = [limitOf(100, parent), limitOf(100, parent)];
  closed.close();
  parent.abort('stop');
  expect(early.signal.reason).toBe('stop');
  expect(closed.signal.aborted).toBe(false);
  expect(limitOf(100, parent).signal.reason).toBe('stop');
});
