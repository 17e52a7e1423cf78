import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Reached } from './reached.ts';

/** Whether `to` can be reached from `from` in one step or more, by looking at all ways. */
function leads(edges: readonly (readonly [number, number])[], from: number, to: number): boolean {
  const seen = new Set<number>();
  const next = (at: number): boolean =>
    edges.some(([left, right]) => {
      if (left !== at || seen.has(right)) return false;
      seen.add(right);
      return right === to || next(right);
    });
  return next(from);
}

test('what is reached from some nodes of a graph is what a way leads to from any of them', () => {
  const node = fc.nat({ max: 7 });
  fc.assert(
    fc.property(fc.array(fc.tuple(node, node), { maxLength: 20 }), fc.array(node, { maxLength: 4 }), (edges, from) => {
      const reached = new Reached<number>(at => edges.flatMap(([left, right]) => (left === at ? [right] : [])));
      for (const each of from) reached.add(each);
      for (let to = 0; to < 8; to++) expect(reached.has(to)).toBe(from.some(each => leads(edges, each, to)));
    }),
  );
});
