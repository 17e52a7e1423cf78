import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rounds } from '../../../test/fixtures/depth.ts';
import batched from '../../engine/fixtures/batches.fixture.ts';
import { collect, within } from '../../engine/fixtures/outcome.fixture.ts';
import type { Action } from '../../model/plan.ts';
import { elsewhere, inShort, operatorsOf, plan, type Recorded } from '../recorded.fixture.ts';

/** A thread of its own for the batch, as its author wrote it, or none. */
const images = (threads: number | undefined, batchMs = 0.01, decode: Partial<Recorded> = {}): readonly Recorded[] => [
  { id: 'files', kind: 'range', ms: 0.01 },
  { id: 'decode', ms: 1, bytes: 500_000, ...decode },
  {
    id: 'batch',
    kind: 'batch',
    ms: batchMs,
    out: 0.1,
    bytes: 5_000_000,
    more: { settings: { size: 10 }, ...(threads === undefined ? {} : { parallelism: threads }) },
  },
];

const stagesOf = ({ arrangement }: ReturnType<typeof plan>): string[] =>
  arrangement.stages.map(({ operators, lanes }) => `${operators.map(({ id }) => id).join('+')} ${lanes}`);

describe('a batch', () => {
  test('whose elements are large is made by the lanes that have them, whatever its author gave it', () => {
    const tuned = plan(images(1, 0.01, { more: { parallelism: 4 } }));
    expect(inShort(tuned)).toEqual(['batch.parallelism=rides']);
    expect(stagesOf(tuned)).toEqual(['files 1', 'decode+batch 4']);
    expect(tuned.changes[0]?.reason).toBe('rides');
    expect(stagesOf(plan(images(undefined)))).toEqual(['files 1', 'decode+batch 4']);
    expect(stagesOf(plan(images(1)))).toEqual(['files 1', 'decode+batch 4']);
  });

  test('that takes its lanes long gets a thread of its own, where a core is free for it', () => {
    const [decodeMs, batchMs] = [1, 0.5];
    const chain: readonly Recorded[] = [
      { id: 'numbers', kind: 'range', ms: 0.01 },
      { id: 'decode', ms: decodeMs, more: { parallelism: 2 } },
      { id: 'batch', kind: 'batch', ms: batchMs, out: 0.1, more: { settings: { size: 10 } } },
    ];
    const tuned = plan(chain, { keep: ['decode'] });
    expect(inShort(tuned)).toEqual(['batch.parallelism=1']);
    expect(stagesOf(tuned)).toEqual(['numbers 1', 'decode 2', 'batch 1']);
    // The lanes of decode are narrow before and after, and only decode from then on: numbers are handed on in less than a thousandth of that.
    expect(tuned.predicted.estimate / tuned.before.estimate).toBeCloseTo((decodeMs + batchMs) / decodeMs, 2);
  });

  test('stays where it is if it is told to, if the rule is left out, and in a stage of one lane', () => {
    const divided = { more: { parallelism: 4 } };
    expect(inShort(plan(images(1, 0.01, divided), { keep: ['batch'] }))).toEqual([]);
    expect(inShort(plan(images(1, 0.01, divided), { without: ['batches'] }))).toEqual([]);
    expect(inShort(plan(images(1), { cores: 1 }))).toEqual([]);
    expect(inShort(plan(images(undefined), { cores: 1 }))).toEqual([]);
  });
});

describe('the other place for batches', () => {
  const large = images(undefined, 0.01, { more: { parallelism: 4 } });
  const placesOf = (tried: ReturnType<typeof plan> | undefined): string | undefined =>
    tried && stagesOf(tried).slice(1).join(', ');

  test('is that of the same plan otherwise, whatever is reckoned of it', () => {
    expect(placesOf(plan(large))).toBe('decode+batch 4');
    expect(placesOf(elsewhere(large))).toBe('decode 4, batch 1');
    const apart = images(1, 0.01, { more: { parallelism: 4 } });
    expect(placesOf(plan(apart))).toBe('decode+batch 4');
    expect(placesOf(elsewhere(apart))).toBe('decode 4, batch 1');
  });

  test('is left alone where batches are to stay, or there are none', () => {
    expect(placesOf(elsewhere(large, { keep: ['batch'] }))).toBe('decode+batch 4');
    expect(elsewhere(large, { without: ['batches'] })).toBeUndefined();
    expect(elsewhere(large.slice(0, 2))).toBeUndefined();
  });
});

const steps = fc.array(
  fc.record({
    kind: fc.constantFrom('map', 'map', 'filter', 'shuffle', 'batch', 'batch'),
    ms: fc.double({ min: 0.01, max: 3, noNaN: true }),
    bytes: fc.constantFrom(8, 1e4, 1e6),
    threads: fc.constantFrom(undefined, undefined, 1, 3),
    size: fc.integer({ min: 2, max: 64 }),
  }),
  { minLength: 1, maxLength: 6 },
);

test('rides or has one thread in any plan', () => {
  const places = new Map<string, number>();
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 16 }), (made, cores) => {
      const chain: Recorded[] = [
        { id: 'numbers', kind: 'range', ms: 0.01 },
        ...made.map(({ kind, ms, bytes, threads, size }, at): Recorded => {
          const isBatch = kind === 'batch';
          const parallelism = isBatch && threads !== undefined ? 1 : threads;
          return {
            id: `${kind}${at}`,
            kind,
            ms,
            bytes,
            ...(isBatch ? { out: 1 / size } : {}),
            more: {
              ...(isBatch ? { settings: { size } } : {}),
              ...(parallelism === undefined || kind === 'shuffle' ? {} : { parallelism }),
            },
          };
        }),
      ];
      const tuned = plan(chain, { cores });
      const gathering = operatorsOf(chain).filter(({ gathers }) => gathers !== undefined);
      for (const { action } of tuned.changes) {
        if (action.kind !== 'parallelism' || !gathering.some(({ id }) => id === action.operator)) continue;
        expect([undefined, 1]).toContain(action.to);
        places.set(`${action.to}`, (places.get(`${action.to}`) ?? 0) + 1);
      }
    }),
    {
      numRuns: rounds(36, 200),
      // Few of those drawn have a batch that had better move.
      examples: [
        [
          [
            { kind: 'map', ms: 1, bytes: 1e6, threads: 3, size: 2 },
            { kind: 'batch', ms: 0.01, bytes: 1e6, threads: 1, size: 10 },
          ],
          4,
        ],
      ],
    },
  );
  expect(places.get('undefined')).toBeGreaterThan(0);
});

test('gives the same batches, in their order and with the remainder, in either place', async () => {
  const cases = fc.record({
    name: fc.constantFrom('numbers', 'padded', 'whole'),
    count: fc.integer({ min: 0, max: 40 }),
    size: fc.integer({ min: 1, max: 9 }),
    parallelism: fc.integer({ min: 1, max: 4 }),
    isAlone: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(cases, async ({ isAlone, ...params }) => {
      const described = batched.run({ params, parallelism: 0 });
      const operator = described.graph.operators.find(({ gathers }) => gathers !== undefined)?.id ?? '';
      const expected = await collect(described);
      const action: Action = { kind: 'parallelism', operator, ...(isAlone ? { to: 1 } : {}) };
      const run = batched.run({ params, plan: { shape: undefined, actions: [action] } });
      expect(await within(collect(run))).toEqual(expected);
    }),
    { numRuns: rounds(6, 20) },
  );
});
