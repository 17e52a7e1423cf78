import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { analyse, graphOf, operator, SECOND, states } from '../../analysis/records.fixture.ts';
import { engineRules } from '../../engine/compile/fusing.ts';
import type { Action } from '../../model/plan.ts';
import { type Recorded, recorded } from '../../tuning/recorded.fixture.ts';
import { type Amount, exactly, NOTHING } from './amount.ts';
import { type Arrangement, arrange, NO_DEMANDS, recordedArrangement } from './arrangement.ts';
import { ceilingConstraints, tightest } from './ceiling.ts';
import { COSTS, MEASURED_HOST, modelWith } from './costs.fixture.ts';
import { evaluate } from './evaluate.ts';
import { bandOf, forecast } from './forecast.ts';
import { handingCosts } from './handing.ts';
import type { CostModel, CostOperator } from './model.ts';
import type { Pace } from './pace.ts';
import { costModelOf } from './recording.ts';

const rules = engineRules();

const chains = fc
  .array(
    fc.record({
      kind: fc.constantFrom('map', 'map', 'filter', 'window', 'batch'),
      ms: fc.double({ min: 0.01, max: 5, noNaN: true }),
      asleep: fc.constantFrom(0, 0, 2),
      bytes: fc.constantFrom(8, 1e4, 1e6),
      parallelism: fc.constantFrom(undefined, 1, 2),
    }),
    { minLength: 1, maxLength: 6 },
  )
  .map((steps): Recorded[] => [
    { id: 'source', kind: 'range', ms: 0.01 },
    ...steps.map(({ kind, ms, asleep, bytes, parallelism }, at) => ({
      id: `${kind}${at}`,
      kind,
      ms,
      asleep,
      bytes,
      more: parallelism === undefined ? {} : { parallelism },
    })),
  ]);

const wishes = fc.array(
  fc.record({ at: fc.nat(6), kind: fc.constantFrom('parallelism', 'prefetch'), to: fc.integer({ min: 1, max: 4 }) }),
  { maxLength: 3 },
);

function actionsOn(model: CostModel, wished: readonly { at: number; kind: string; to: number }[]): Action[] {
  return wished.flatMap(({ at, kind, to }): Action[] => {
    const operator = model.operators[at % model.operators.length];
    if (operator === undefined) return [];
    if (kind === 'prefetch') return [{ kind, operator: operator.id, elements: 16 }];
    return operator.sequential ? [] : [{ kind: 'parallelism', operator: operator.id, to }];
  });
}

/** Half as much again, and known as well. */
const dearer = ({ estimate, low, high }: Amount): Amount => ({
  estimate: 1.5 * estimate,
  low: low + estimate / 2,
  high: high + estimate / 2,
});

/** Threads that slow each other down, those that copy memory more than others. */
const crowded: readonly Pace[] = [
  { threads: 1, chained: 1, independent: 1, memory: 1, bytesPerSecond: 10e9 },
  { threads: 4, chained: 1.1, independent: 2, memory: 2.5, bytesPerSecond: 16e9 },
];

describe('a cost model', () => {
  test('survives JSON: the same rates come out of it, to the last digit', () => {
    fc.assert(
      fc.property(chains, wishes, (chain, wished) => {
        const model = { ...costModelOf(recorded(chain)), paces: crowded };
        const copy: CostModel = JSON.parse(JSON.stringify(model));
        const actions = actionsOn(model, wished);
        const [one, other] = [model, copy].map(each => {
          const arrangement = arrange(each, actions, { rules });
          const again = JSON.parse(JSON.stringify(arrangement));
          return [forecast(each, again), evaluate(each, arrangement, 'low'), ceilingConstraints(each)];
        });
        expect(JSON.stringify(other)).toBe(JSON.stringify(one));
        expect(JSON.stringify(model)).not.toContain('null');
      }),
      { numRuns: 40 },
    );
  });

  test('gives no more for dearer operators, slower handing on or fewer cores, at any end', () => {
    const changes: ((model: CostModel, at: number) => CostModel)[] = [
      (model, at) => ({
        ...model,
        operators: model.operators.map((each, place) =>
          place === at % model.operators.length ? { ...each, cpu: dearer(each.cpu) } : each,
        ),
      }),
      model => ({
        ...model,
        handing: { ...model.handing, send: { ...model.handing.send, element: 3 * model.handing.send.element } },
      }),
      model => ({ ...model, cores: model.cores / 2 }),
      model => ({ ...model, outside: { estimate: 1e-3, low: 1e-3, high: 1e-3 } }),
    ];
    fc.assert(
      fc.property(chains, wishes, fc.constantFrom(...changes), fc.nat(6), (chain, wished, change, at) => {
        const model = costModelOf(recorded(chain));
        const after = change(model, at);
        for (const end of ['estimate', 'low', 'high'] as const) {
          const rate = (of: CostModel): number => evaluate(of, arrange(of, actionsOn(of, wished), { rules }), end).rate;
          expect(rate(after)).toBeLessThanOrEqual(rate(model) * (1 + 1e-9));
        }
        expect(tightest(ceilingConstraints(after)).estimate).toBeLessThanOrEqual(
          tightest(ceilingConstraints(model)).estimate * (1 + 1e-9),
        );
      }),
      { numRuns: 60 },
    );
  });

  test('has its estimate within its band, and no arrangement above the high end of the ceiling', () => {
    fc.assert(
      fc.property(chains, wishes, (chain, wished) => {
        const model = { ...costModelOf(recorded(chain)), paces: crowded };
        const arrangement = arrange(model, actionsOn(model, wished), { rules });
        const { rate } = evaluate(model, arrangement);
        const band = bandOf(model, arrangement, rate);
        expect(band.low).toBeLessThanOrEqual(band.estimate);
        expect(band.high).toBeGreaterThanOrEqual(band.estimate);
        expect(rate).toBeLessThanOrEqual(tightest(ceilingConstraints(model)).high * (1 + 1e-9));
      }),
      { numRuns: 60 },
    );
  });
});

describe('busy threads', () => {
  const chain: Recorded[] = [
    { id: 'source', kind: 'range', ms: 0.01 },
    { id: 'work', ms: 4 },
    { id: 'last', kind: 'window', ms: 0.01 },
  ];
  const divided: Action[] = [{ kind: 'parallelism', operator: 'work', to: 4 }];
  const rates = (paces: readonly Pace[], bytes = 8) => {
    const model = { ...costModelOf(recorded(chain.map(each => ({ ...each, bytes })))), paces };
    const arrangement = arrange(model, divided, { rules });
    const at = (end: 'estimate' | 'low' | 'high') => evaluate(model, arrangement, end);
    return { ...at('estimate'), low: at('low').rate, high: at('high').rate };
  };

  test('slow each other down between both kinds of arithmetic, by the one of them or by memory at the ends', () => {
    const [alone, beside] = [rates([]), rates(crowded)];
    expect(alone.rate / beside.rate).toBeCloseTo(Math.sqrt(1.1 * 2), 1);
    expect(alone.rate / beside.low).toBeCloseTo(2.5, 1);
    expect(alone.high / beside.high).toBeCloseTo(1.1, 1);
  });

  test('are slowed down the more, the more memory they are known to move', () => {
    // 4 MB of 4 ms are written at 10 GB/s in a tenth of that.
    expect(rates(crowded, 4e6).cpu).toBeGreaterThan(rates(crowded).cpu);
  });

  test('copy no more than memory allows', () => {
    const slow = crowded.map(pace => ({ ...pace, bytesPerSecond: 1e6 * pace.threads }));
    const { rate, binding, high } = rates(slow, 1e4);
    expect(binding).toEqual({ kind: 'memory' });
    expect(rate).toBeLessThan(high);
  });
});

describe('channels', () => {
  /** Two stages that hand on ten elements of a megabyte in a second, and what that took the first of them, s. */
  const model = (overhead: number) => {
    const graph = graphOf([operator('read', []), operator('crop', ['read'], { parallelism: 2 })], false);
    const lane = (id: string, more = {}) => ({
      name: `${id}#0`,
      perSecond: {
        lane: { ...states(0.5, 0, 0, 0.5), ...more },
        [`stage:${id}`]: { cpu: 0.5 * SECOND, chunks: 10 },
        [`operator:${id}`]: { elementsIn: 10, elementsOut: 10, bytesOut: 1e7 },
      },
    });
    const lanes = [lane('read', { overhead: overhead * SECOND }), lane('crop')];
    return costModelOf(analyse(graph, lanes, 20, { host: MEASURED_HOST }));
  };

  test('of the recording take what they took, new ones what was measured of the machine', () => {
    for (const overhead of [0.001, 0.0025, 0.3]) {
      const its = model(overhead);
      // Half a core each, whatever part of it was for handing on.
      expect(evaluate(its, recordedArrangement(its)).cpu).toBeCloseTo(0.1, 3);
    }
    const chain: Recorded[] = [
      { id: 'source', kind: 'range', ms: 0.01 },
      { id: 'work', ms: 4 },
      { id: 'last', kind: 'window', ms: 0.01 },
    ];
    const fused = costModelOf(recorded(chain.map(each => ({ ...each, bytes: 1e6 }))));
    const divided = arrange(fused, [{ kind: 'parallelism', operator: 'work', to: 2 }], { rules });
    // Two channels, each of which sends and receives a megabyte at 0.25 ns a byte.
    const more = evaluate(fused, divided).cpu - evaluate(fused, recordedArrangement(fused)).cpu;
    expect(more).toBeCloseTo(1e-3, 5);
  });

  test('cost no copy for a reader that only looks at what it is given', () => {
    const cpu = (borrows: boolean, arrays: number): number => {
      const chain: Recorded[] = [
        { id: 'source', kind: 'range', ms: 0.01 },
        { id: 'image', ms: 4, bytes: 1e6 },
        { id: 'gather', kind: 'batch', ms: 0.1, bytes: 8, more: borrows ? { borrows } : {} },
      ];
      const { operators, ...others } = costModelOf(recorded(chain));
      const model = { ...others, operators: operators.map(each => (each.id === 'image' ? { ...each, arrays } : each)) };
      const own: Action[] = [
        { kind: 'parallelism', operator: 'image', to: 2 },
        { kind: 'parallelism', operator: 'gather', to: 1 },
      ];
      return evaluate(model, arrange(model, own, { rules })).cpu;
    };
    // A megabyte at 0.25 ns a byte, and 40 ns to collect the array.
    expect(cpu(false, 1) - cpu(true, 1)).toBeCloseTo(2.5e-4 + 4e-8, 12);
    // Texts are read either way.
    expect(cpu(true, 0)).toBe(cpu(false, 0));
  });
});

describe('what a recorded stage took together', () => {
  const operators = (['source', 'guess', 'rest'] as const).map(
    (id, at): CostOperator => ({
      ...operator(id, at === 0 ? [] : [['source', 'guess'][at - 1] ?? '']),
      ...NO_DEMANDS,
      visits: 1,
      // Nobody knows which of the two it was.
      cpu: at === 0 ? exactly(1e-3) : { estimate: 5e-3, low: 0, high: 10e-3 },
    }),
  );
  const model = modelWith(operators, { noise: 0.01 });
  const [source, guess, rest] = operators;

  test('is known of all its operators but one that is, however little is known of each', () => {
    if (source === undefined || guess === undefined || rest === undefined) throw new Error('three operators');
    const staged = (...stages: CostOperator[][]) => ({
      operators,
      stages: stages.map(its => ({ operators: its, lanes: 1, chunks: 0 })),
      outside: NOTHING,
    });
    const together = staged([source], [guess, rest]);
    const apart = staged([source, guess], [rest]);
    const width = (arrangement: Arrangement): number =>
      evaluate(model, arrangement, 'high').rate / evaluate(model, arrangement, 'low').rate;
    expect(width(together)).toBeLessThan(1.05);
    expect(width(apart)).toBeGreaterThan(1.5);
  });
});

describe('lanes that wait', () => {
  const handing = { ...handingCosts(COSTS), waker: exactly(1e-3), sleeper: exactly(2e-3), delay: 5e-3 };
  const chain: Recorded[] = [
    { id: 'source', kind: 'range', ms: 0.01 },
    { id: 'slow', ms: 4 },
    { id: 'quick', ms: 1 },
  ];
  const model = { ...costModelOf(recorded(chain)), handing };
  const ahead = (operator: string) => arrange(model, [{ kind: 'prefetch', operator, elements: 1 }], { rules });

  test('are woken by those they wait for, which takes these longer, and themselves of the cores alone', () => {
    const { rate, cpu } = evaluate(model, ahead('slow'));
    const awake = evaluate({ ...model, handing: handingCosts(COSTS) }, ahead('slow'));
    // Three of four of its chunks find the reader asleep.
    expect(1 / rate - 1 / awake.rate).toBeCloseTo(0.75e-3, 4);
    expect(cpu - awake.cpu).toBeGreaterThan(0.75 * 3e-3);
  });

  test('wait for each chunk until they are awake at the low end', () => {
    const patient = { ...model, handing: { ...handing, delay: 0 } };
    expect(evaluate(model, ahead('slow'), 'low').rate).toBeLessThan(evaluate(patient, ahead('slow'), 'low').rate);
    expect(evaluate(model, ahead('slow')).rate).toBe(evaluate(patient, ahead('slow')).rate);
  });
});
