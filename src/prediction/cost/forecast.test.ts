import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rounds } from '../../../test/fixtures/depth.ts';
import { HOST } from '../../analysis/records.fixture.ts';
import { engineRules } from '../../engine/compile/fusing.ts';
import type { Action } from '../../model/plan.ts';
import { cores, elements } from '../../model/units.ts';
import { type Recorded, recorded } from '../../tuning/recorded.fixture.ts';
import { arrange, recordedArrangement } from './arrangement.ts';
import { ceilingConstraints, tightest } from './ceiling.ts';
import { forecast } from './forecast.ts';
import type { CostModel } from './model.ts';
import { costModelOf } from './recording.ts';

const rules = engineRules();
const chain: Recorded[] = [
  { id: 'source', kind: 'range', ms: 0.01 },
  { id: 'work', ms: 2 },
  { id: 'last', kind: 'window', ms: 0.01 },
];
const divided: Action[] = [{ kind: 'parallelism', operator: 'work', to: 4 }];

const forecastOf = (model: CostModel, actions: readonly Action[] = divided) =>
  forecast(model, arrange(model, actions, { rules }));

describe('a forecast', () => {
  test('of what was recorded is what was measured', () => {
    const model = costModelOf(recorded(chain));
    expect(forecastOf(model, []).rate).toEqual(model.measured);
    expect(forecast(model, recordedArrangement(model)).rate).toEqual(model.measured);
  });

  test('has in its band what the recording missed of its own evaluation', () => {
    const analysis = recorded(chain);
    const { rates } = analysis;
    const at = (part: number) =>
      forecastOf(
        costModelOf({
          ...analysis,
          rates: {
            ...rates,
            rate: { ...rates.rate, estimate: part * rates.rate.estimate, low: part * rates.rate.low },
          },
        }),
      ).rate;
    const [whole, held] = [at(1), at(0.7)];
    expect(held.estimate / whole.estimate).toBeCloseTo(0.7, 3);
    expect(held.high).toBeCloseTo(whole.high, 6);
    expect(held.low / whole.low).toBeCloseTo(0.7, 3);
  });

  test('cannot be told where costs were never measured, unless nothing is handed on that was not before', () => {
    const model = costModelOf(recorded(chain, HOST));
    expect(forecastOf(model)).toMatchObject({ rate: { estimate: Number.NaN }, doubts: [{ kind: 'costs-unmeasured' }] });
    expect(forecastOf(model, []).doubts).toEqual([]);
  });

  test('cannot be told of an operator that nothing passed', () => {
    const analysis = recorded(chain);
    const operators = analysis.rows.operators.map(row =>
      row.id === 'work' ? { ...row, elementsIn: elements(0), elementsOut: elements(0) } : row,
    );
    const model = costModelOf({ ...analysis, rows: { ...analysis.rows, operators } });
    expect(forecastOf(model)).toMatchObject({
      rate: { estimate: Number.NaN },
      doubts: [{ kind: 'never-busy', operator: 'work' }],
    });
    // A cache behind it makes it idle.
    expect(forecastOf(model, [{ kind: 'cache', operator: 'last', limit: 1e9 }]).doubts).toEqual([]);
  });

  test('cannot be told of passes behind a cache that was never full', () => {
    const passes = (times: number) =>
      costModelOf(
        recorded([
          ...chain,
          { id: 'kept', kind: 'cache', ms: 0.01 },
          { id: 'epochs', kind: 'repeat', ms: 0, more: { settings: { times }, repeats: times } },
        ]),
      );
    expect(forecastOf(passes(10)).doubts).toEqual([{ kind: 'cache-unfilled', operator: 'kept' }]);
    expect(forecastOf(passes(1)).doubts).toEqual([]);
  });

  test('cannot be told from an uneven recording, nor from one that was held up', () => {
    const model = costModelOf(recorded(chain));
    const doubled: Action[] = [{ kind: 'parallelism', operator: 'work', to: 2 }];
    expect(forecastOf({ ...model, noise: 1.1 }, doubled).doubts).toEqual([{ kind: 'short' }]);
    const heldUp = { estimate: 0.3, low: 0.3, high: 0.3 };
    expect(forecastOf({ ...model, residual: heldUp }).doubts).toEqual([{ kind: 'disturbed' }]);
  });

  test('is told, however wide its band, where all of it is better or worse than what was measured', () => {
    const model = { ...costModelOf(recorded(chain)), noise: 1.1 };
    const { rate, doubts } = forecastOf(model);
    expect(doubts).toEqual([]);
    expect(rate.low).toBeGreaterThan(model.measured.high);
    expect(rate.high / rate.low).toBeGreaterThan(3);
    expect(rate.estimate).toBeGreaterThan(rate.low);
  });

  test('lies nowhere above the ceiling, whatever the recording reached of its own evaluation', () => {
    const ends = fc.tuple(fc.double({ min: 0.3, max: 3, noNaN: true }), fc.double({ min: 1, max: 3, noNaN: true }));
    fc.assert(
      fc.property(
        ends,
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.integer({ min: 2, max: 32 }),
        (off, variation, to) => {
          const [estimate, wide] = off;
          const residual = { estimate, low: estimate / wide, high: estimate * wide };
          const model = { ...costModelOf(recorded(chain), { cores: cores(16) }), residual, variation };
          const ceiling = tightest(ceilingConstraints(model));
          const { rate } = forecastOf(model, [{ kind: 'parallelism', operator: 'work', to }]);
          expect(rate.high).toBeLessThanOrEqual(ceiling.high);
          if (!Number.isNaN(rate.estimate)) expect(rate.estimate).toBeLessThanOrEqual(ceiling.estimate);
          expect(rate.low).toBeLessThanOrEqual(rate.high);
        },
      ),
      { numRuns: rounds(50, 500) },
    );
  });

  test('is as recorded where resources are asked for that it does not use', () => {
    const model = costModelOf(recorded(chain), { disk: { points: [{ readers: 1, bytesPerSecond: 1 }], cold: true } });
    expect(forecastOf({ ...model, noise: 1.1 }, []).rate).toEqual(model.measured);
  });

  test('has in its band what parts of the recording differ by', () => {
    const model = costModelOf(recorded(chain));
    // Half of the cores: far below the ceiling.
    const doubled: Action[] = [{ kind: 'parallelism', operator: 'work', to: 2 }];
    const [steady, other] = [model, { ...model, variation: 0.25 }].map(each => forecastOf(each, doubled).rate);
    expect((other?.low ?? 0) / (steady?.low ?? 1)).toBeCloseTo(0.8, 9);
    expect((other?.high ?? 0) / (steady?.high ?? 1)).toBeCloseTo(1.25, 9);
    expect(other?.estimate).toBe(steady?.estimate);
  });

  test('cannot be told where what handing on takes varies too much, and says so', () => {
    const model = costModelOf(recorded(chain.map(each => ({ ...each, ms: each.ms / 1e4 }))));
    const off = { estimate: 1, low: 0.1, high: 10 };
    const side = { ...model.handing.send, off: { numbers: off, objects: off, arrays: off } };
    const varying = { ...model, handing: { ...model.handing, send: side, receive: side } };
    expect(forecastOf(varying).doubts).toEqual([{ kind: 'handing-varies' }]);
    expect(forecastOf(model).doubts).toEqual([]);
  });

  test('of other numbers of calls at once goes by those of the recording', () => {
    const calling = recorded([
      { id: 'source', kind: 'range', ms: 0.01 },
      { id: 'ask', ms: 0.1, asleep: 1, call: 4, more: { concurrency: 4 } },
    ]);
    const model = costModelOf(calling, { cores: cores(2) });
    const fewer = forecastOf(model, [{ kind: 'concurrency', operator: 'ask', to: 2 }]).rate;
    // Asleep for twice as long: 2.11 ms an element instead of 1.11.
    expect(model.measured.estimate / fewer.estimate).toBeCloseTo(2.11 / 1.11, 2);
  });

  test('promises no more of calls that nobody has seen than was measured', () => {
    const calling = recorded([
      { id: 'source', kind: 'range', ms: 0.01 },
      { id: 'ask', ms: 0.1, asleep: 1, call: 4, more: { concurrency: 4 } },
    ]);
    const more: Action[] = [{ kind: 'concurrency', operator: 'ask', from: 4, to: 16 }];
    const model = costModelOf(calling, { cores: cores(2) });
    const { rate } = forecastOf(model, more);
    expect(rate.low).toBeLessThanOrEqual(model.measured.low);
    const seen = { ...model, calls: { ask: { concurrency: 16, blocked: 0.25e-3 } } };
    expect(forecastOf(seen, more).rate.low).toBeGreaterThan(model.measured.high);
  });
});
