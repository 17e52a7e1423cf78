import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CallSearch, type CallTrial } from './call-search.ts';

/** A service that answers so many calls at once in 10 ms each, and no more per second, however many wait. */
const service =
  (capacity: number, refuses = Number.POSITIVE_INFINITY) =>
  (concurrency: number): CallTrial => {
    const underWay = concurrency;
    const rate = Math.min(concurrency, capacity) / 0.01;
    return { concurrency, rate, callTime: underWay / rate, underWay, failed: concurrency > refuses ? 0.2 : 0 };
  };

function search(of: (concurrency: number) => CallTrial, from: number, most = 256): CallSearch {
  const found = new CallSearch(of(from), most);
  for (let next = found.next; next !== undefined; next = found.next) found.add(of(next));
  return found;
}

describe('a search for calls at once', () => {
  it.each([
    ['doubles until the service is saturated', service(60), 1, { best: 64, end: 'saturated' }],
    ['leaves them where more bring nothing', service(4), 4, { best: 4, end: 'saturated' }],
    ['goes back where calls are refused', service(1000, 20), 1, { best: 16, end: 'refused' }],
    ['ends at as many as are tried', service(1000), 16, { best: 256, end: 'most' }],
    ['has nothing to try above that', service(1000), 256, { best: 256, end: 'most' }],
  ])('%s', (_, of, from, expected) => {
    const { best, end } = search(of, from);
    expect({ best: best.concurrency, end }).toEqual(expected);
  });

  it('says where something else has become narrow', () => {
    const elsewhere = (concurrency: number): CallTrial => ({
      ...service(1000)(concurrency),
      rate: Math.min(1000, 100 * concurrency),
      callTime: 0.01,
    });
    expect(search(elsewhere, 8)).toMatchObject({ end: 'no-more', best: { concurrency: 16 } });
  });

  it('goes back where the pipeline fails', () => {
    const found = new CallSearch(service(1000)(8), 256);
    found.add(service(1000)(16));
    found.fail();
    expect(found).toMatchObject({ next: undefined, end: 'refused', best: { concurrency: 16 } });
  });

  it('ends, stays within its limit, and never settles on what was slower than the start or refused', () => {
    const trial = fc.record({
      rate: fc.double({ min: 0.1, max: 1e4, noNaN: true }),
      callTime: fc.double({ min: 1e-4, max: 10, noNaN: true }),
      failed: fc.constantFrom(0, 0.005, 0.5),
    });
    fc.assert(
      fc.property(
        fc.array(trial, { minLength: 12, maxLength: 12 }),
        fc.integer({ min: 1, max: 300 }),
        (trials, from) => {
          let at = 0;
          const found = search(concurrency => {
            const { rate, callTime, failed } = trials[at++] ?? { rate: 1, callTime: 1, failed: 0 };
            return { concurrency, rate, callTime, underWay: rate * callTime, failed };
          }, from);
          const [first] = found.trials;
          expect(found.end).toBeDefined();
          expect(Math.max(...found.trials.map(each => each.concurrency))).toBeLessThanOrEqual(Math.max(256, from));
          expect(found.best.rate).toBeGreaterThanOrEqual(0.95 * (first?.rate ?? 0));
          expect(found.best.failed).toBeLessThanOrEqual((first?.failed ?? 0) + 0.01);
        },
      ),
    );
  });
});
