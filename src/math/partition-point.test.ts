import fc from 'fast-check';
import { expect, it } from 'vitest';
import { partitionPoint } from './partition-point.ts';

it('is the number of those before, wherever they end', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -5, max: 5 })), fc.integer({ min: -6, max: 6 }), (values, limit) => {
      const sorted = values.sort((a, b) => a - b);
      const found = partitionPoint(sorted.length, at => (sorted[at] ?? 0) < limit);
      expect(found).toBe(sorted.filter(value => value < limit).length);
    }),
  );
});
