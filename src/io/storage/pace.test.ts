import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Pace, SlowError } from './pace.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const SETTINGS = { timeoutMs: 1000, minBytesPerSecond: 100 };

function watched(settings = SETTINGS): { pace: Pace; failures: Error[] } {
  const failures: Error[] = [];
  const pace = new Pace(settings, error => failures.push(error));
  pace.start();
  return { pace, failures };
}

/** `bytes` come every 10 ms, for `ms`. */
function bring(pace: Pace, bytes: number, ms: number): void {
  for (let at = 0; at < ms; at += 10) {
    pace.arrived(bytes);
    vi.advanceTimersByTime(10);
  }
}

it('lets a request go on that brings enough', () => {
  const { pace, failures } = watched();
  bring(pace, 1, 60_000);
  expect(failures).toEqual([]);
  pace.stop();
  vi.advanceTimersByTime(1e6);
  expect(failures).toEqual([]);
});

it('gives up one that brings too little, however evenly', () => {
  const { pace, failures } = watched({ ...SETTINGS, minBytesPerSecond: 101 });
  bring(pace, 1, 60_000);
  expect(failures).toEqual([new SlowError(100, 1000)]);
});

it('gives up one that brings nothing, also where a single byte is enough', () => {
  const { pace, failures } = watched({ ...SETTINGS, minBytesPerSecond: 0 });
  pace.arrived(1);
  vi.advanceTimersByTime(1000);
  expect(failures).toEqual([]);
  vi.advanceTimersByTime(1000);
  expect(failures).toEqual([new Error('nothing came for 1 s')]);
});
