import fc from 'fast-check';
import { expect, it } from 'vitest';
import { travellersOf } from '../../fixtures/travellers.fixture.ts';
import { canTravel } from './index.ts';

const travellers = travellersOf(fc);

class Point {
  x = 1;
}

it('what can travel is not taken for what cannot', () => {
  fc.assert(
    fc.property(travellers, value => {
      expect(canTravel(value)).toBe(true);
    }),
    { numRuns: 200 },
  );
});

it('what cannot travel is seen in an element and near its surface', () => {
  const getter = {
    get a() {
      return 1;
    },
  };
  for (const value of [new Point(), () => 1, Promise.resolve(), Symbol('own'), new Blob([]), getter]) {
    expect(
      [value, { a: value }, [[value]], new Map([[1, value]]), new Set([value])].map(each => canTravel(each)),
    ).toEqual([false, false, false, false, false]);
  }
});
