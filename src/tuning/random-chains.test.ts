import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rounds } from '../../test/fixtures/depth.ts';
import { operatorsOf, plan, type Recorded } from './recorded.fixture.ts';

const epochs: Recorded = { id: 'epochs', kind: 'repeat', ms: 0, more: { settings: { times: 10 } } };

test('a cache never stands at or behind anything random, in any chain', () => {
  const kinds = fc.constantFrom('map', 'map', 'map', 'shuffle', 'batch', 'filter');
  const steps = fc.array(
    fc.record({
      kind: kinds,
      ms: fc.double({ min: 0.01, max: 3, noNaN: true }),
      draws: fc.constantFrom(0, 0, 1),
      context: fc.boolean(),
    }),
    { minLength: 1, maxLength: 6 },
  );
  let cached = 0;
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 16 }), (made, cores) => {
      const chain: Recorded[] = [
        { id: 'numbers', kind: 'range', ms: 0.01 },
        ...made.map(({ kind, ms, draws, context }, at) => ({
          id: `${kind}${at}`,
          kind,
          ms,
          draws: kind === 'shuffle' ? 1 : draws,
          more: context ? { context } : {},
        })),
        epochs,
      ];
      const operators = operatorsOf(chain);
      for (const { action } of plan(chain, { cores, epochs: 10 }).changes) {
        if (action.kind !== 'cache') continue;
        cached++;
        const upstream = operators.slice(0, operators.findIndex(({ id }) => id === action.operator) + 1);
        for (const { id, random, context } of upstream) {
          const { draws } = chain.find(each => each.id === id) ?? {};
          expect([id, random ?? false, (draws ?? 0) > 0, context ?? false]).toEqual([id, false, false, false]);
        }
      }
    }),
    { numRuns: rounds(25, 60) },
  );
  expect(cached).toBeGreaterThan(rounds(0, 5));
});
