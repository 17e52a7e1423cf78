import { describe, expect, it } from 'vitest';
import { packedDoubles, packedInts, packedSlots } from './packed.ts';

describe('a packed array', () => {
  it('has the length asked for, and is nobody else’s', () => {
    for (const make of [packedInts, packedDoubles, packedSlots]) {
      for (const length of [0, 1, 5, 3, 200_000]) {
        const one = make(length);
        expect(one.length).toBe(length);
        for (const i of [0, length - 1]) if (length > 0) expect(i in one).toBe(true);
        one.fill(77);
        expect(make(length).includes(77)).toBe(false);
      }
    }
  });
});
