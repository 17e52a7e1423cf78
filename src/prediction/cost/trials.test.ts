import { expect, test } from 'vitest';
import { engineRules } from '../../engine/compile/fusing.ts';
import type { Action } from '../../model/plan.ts';
import { type Recorded, recorded } from '../../tuning/recorded.fixture.ts';
import { arrange } from './arrangement.ts';
import { evaluate } from './evaluate.ts';
import { costModelOf } from './recording.ts';
import { withTrials } from './trials.ts';

const rules = engineRules();

const chain = (work: number, parallelism?: number): Recorded[] => [
  { id: 'source', kind: 'range', ms: 0.01 },
  { id: 'work', ms: work, more: parallelism === undefined ? {} : { parallelism } },
  { id: 'last', kind: 'window', ms: 0.05 },
];

test('a trial in which an operator took longer beside others changes what the next one is forecast', () => {
  const model = costModelOf(recorded(chain(2)));
  const learned = withTrials(model, [recorded(chain(3, 4))]);
  const four: Action[] = [{ kind: 'parallelism', operator: 'work', to: 4 }];
  const rate = (of: typeof model): number => evaluate(of, arrange(of, four, { rules })).rate;
  expect(rate(model) / rate(learned)).toBeCloseTo(1.5, 1);
  // As measured in the trial, and no less where one core is busy as before.
  expect(rate(learned) / recorded(chain(3, 4)).rates.rate.estimate).toBeCloseTo(1, 1);
  expect(evaluate(learned, arrange(learned, [], { rules })).rate).toBeCloseTo(model.measured.estimate, 0);
});

test('what trials disagree on is in the band', () => {
  const model = costModelOf(recorded(chain(2)));
  const four: Action[] = [{ kind: 'parallelism', operator: 'work', to: 4 }];
  const width = (...took: number[]): number => {
    const learned = withTrials(
      model,
      took.map(ms => recorded(chain(ms, 4))),
    );
    const at = (end: 'low' | 'high'): number => evaluate(learned, arrange(learned, four, { rules }), end).rate;
    return at('high') / at('low');
  };
  expect(width(3, 2.2)).toBeGreaterThan(1.2 * width(3, 3));
});

test('a trial behind a cache says nothing of what the cache spares', () => {
  const model = costModelOf(recorded(chain(2)));
  const behind = recorded([
    { id: 'work', kind: 'range', ms: 0 },
    { id: 'work/cache', kind: 'cache', ms: 0.2 },
    { id: 'last', kind: 'window', ms: 0.4 },
  ]);
  const learned = withTrials(model, [behind]);
  expect(learned.growth).not.toHaveProperty('source');
  const cached: Action[] = [{ kind: 'cache', operator: 'work', limit: 1e9 }];
  expect(evaluate(learned, arrange(learned, cached, { rules })).cpu).toBeCloseTo(0.6e-3, 4);
});
