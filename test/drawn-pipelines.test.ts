import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drawn, FAMILY_NAMES } from '../bench/forecast/drawn.mjs';

const seeds = fc.integer({ min: 0, max: 99_999_999 });

describe('pipelines of the forecast bench', () => {
  it('are the same for the same seed, and others for another', () => {
    fc.assert(
      fc.property(seeds, seed => {
        expect(drawn(seed, 24, 4)).toEqual(drawn(seed, 24, 4));
        expect(drawn(seed, 24, 4)).not.toEqual(drawn(seed + 1, 24, 4));
      }),
      { numRuns: 20 },
    );
  });

  it('are the same on any machine; only their lanes depend on its cores', () => {
    fc.assert(
      fc.property(seeds, seed => {
        const specs = (cores: number) => drawn(seed, 24, cores).map(({ name, spec }) => ({ name, spec }));
        expect(specs(2)).toEqual(specs(16));
      }),
      { numRuns: 20 },
    );
  });

  it('have three ways each, which change steps that are there to more than one lane, call or buffer', () => {
    fc.assert(
      fc.property(seeds, fc.integer({ min: 1, max: 64 }), (seed, cores) => {
        const pipelines = drawn(seed, 24, cores);
        expect(new Set(pipelines.map(({ family }) => family))).toEqual(new Set(FAMILY_NAMES));
        expect(new Set(pipelines.map(({ name }) => name)).size).toBe(24);
        for (const { spec, ways, name } of pipelines) {
          expect(new Set(ways.map(way => way.name)).size, name).toBe(3);
          const steps = new Set([...spec.branches.flat(), ...spec.steps].map(step => step.name));
          for (const action of ways.flatMap(({ actions }) => actions)) {
            expect(steps).toContain(action.operator);
            if (action.to !== undefined) expect(action.to).toBeGreaterThan(1);
          }
        }
      }),
      { numRuns: 50 },
    );
  });
});
