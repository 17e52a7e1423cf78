import { expect, it } from 'vitest';
import { Listing } from './listing.ts';

it('numbers lines from 1, indents blocks and remembers who owns what', () => {
  const listing = new Listing();
  listing.add('if (a) {');
  listing.add('b();', 3);
  listing.add('} else {');
  listing.add('c();', 4);
  listing.add('}');
  expect(listing.text).toBe('if (a) {\n  b();\n} else {\n  c();\n}');
  expect(listing.owners()).toEqual([undefined, undefined, 3, undefined, 4, undefined]);
});

it('logs the task of every line, and returns to the one around it', () => {
  const listing = new Listing();
  listing.add('a();');
  listing.within('element', () => {
    listing.add('b();', 0);
    listing.within('call', () => listing.add('c();', 0));
    listing.add('d();', 0);
  });
  listing.add('e();');
  expect(listing.tasks()).toEqual([undefined, 'loop', 'element', 'call', 'element', 'loop']);
});
