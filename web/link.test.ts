import fc from 'fast-check';
import { expect, test } from 'vitest';
import { linkOf, NO_SELECTION, selectionOf } from './link.ts';

test('a link gives back the selection it was made of, whatever operators are called', () => {
  const selection = fc.record({
    operators: fc.uniqueArray(fc.string({ unit: 'grapheme' })),
    range: fc.option(
      fc.tuple(fc.integer({ min: 0, max: 1e9 }), fc.integer({ min: 1, max: 1e9 })).map(([from, long]) => ({
        from: from / 1e6,
        to: (from + long) / 1e6,
      })),
      { nil: undefined },
    ),
  });
  fc.assert(
    fc.property(selection, given => {
      expect(selectionOf(`#${linkOf(given)}`)).toEqual(given);
    }),
  );
});

test('a link that makes no sense selects nothing', () => {
  for (const link of ['', '#', '#t=', '#t=5-2', '#t=a-b', '#t=-1-2', '#t=1-Infinity', '#%%%']) {
    expect(selectionOf(link), link).toEqual(NO_SELECTION);
  }
});
