import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Analysis } from '../analysis/analysis.ts';
import { analyse, graphOf, HOST, operator, SECOND, type SteadyLane, states } from '../analysis/records.fixture.ts';
import type { Stuck } from '../model/run.ts';
import { findingsOf } from './judge.ts';
import { lane, type Shares } from './lane.fixture.ts';
import type { Finding, FindingKind } from './registry.ts';

const graph = graphOf([
  operator('source', [], { kind: 'files', sequential: true }),
  operator('decode', ['source']),
  operator('order', ['decode'], { kind: 'window', sequential: true }),
]);

interface Case {
  readonly rate?: number;
  readonly source?: Shares;
  readonly decode?: Shares;
  readonly order?: Shares;
  readonly consumer?: Shares;
  readonly processCores?: number;
  /** Used by other programs. */
  readonly othersCores?: number;
  readonly seconds?: number;
  readonly host?: Partial<typeof HOST>;
  readonly stuck?: readonly Stuck[];
}

function judge(given: Case): { analysis: Analysis; verdict: Finding; kinds: FindingKind[]; all: readonly Finding[] } {
  const idle = { running: 0.05, starved: 0.95 };
  const held = { running: 0.05 };
  const rate = given.rate ?? 50;
  const lanes = [
    lane('source#0', rate, given.source ?? held),
    lane('decode#0', rate, given.decode ?? held),
    lane('order#0', rate, given.order ?? idle),
    lane('consumer', rate, given.consumer ?? { running: 0.01, starved: 0.99 }),
    ...(given.processCores === undefined
      ? []
      : [
          {
            name: 'host',
            perSecond: {
              process: { processCpu: given.processCores * 1e6 },
              host: { hostCpuBusy: (given.processCores + (given.othersCores ?? 0)) * 1e6 },
            },
          },
        ]),
  ];
  const seconds = given.seconds ?? 20;
  const facts = { host: { ...HOST, ...given.host }, ...(given.stuck === undefined ? {} : { stuck: given.stuck }) };
  const analysis = analyse(graph, lanes, seconds, facts);
  const { verdict, others } = findingsOf(analysis);
  return { analysis, verdict, kinds: others.map(({ kind }) => kind), all: [verdict, ...others] };
}

describe('a consumer', () => {
  test('that is busy limits the run', () => {
    const { verdict } = judge({ consumer: { running: 0.2, blocked: 0.79, starved: 0.01 } });
    expect(verdict).toMatchObject({ kind: 'consumer-bound', cause: { type: 'none' } });
  });

  test('that waits less than 50 µs is not held up, however much of its time that is', () => {
    const starved = { running: 0.02, starved: 0.98 };
    const decode = { running: 0.99 };
    expect(judge({ rate: 50_000, consumer: starved, decode }).verdict.kind).toBe('consumer-bound');
    expect(judge({ rate: 5_000, consumer: starved, decode }).verdict.kind).toBe('cpu-bound');
  });

  test('that queues for a core is not busy', () => {
    const { verdict } = judge({
      consumer: { running: 0.3, runnable: 0.68, starved: 0.02 },
      decode: { running: 0.6, runnable: 0.4 },
      processCores: 1,
      host: { coresUsable: 1, coresPresent: 1 },
    });
    expect(verdict).toMatchObject({ kind: 'cpu-bound', cause: { type: 'hardware', resource: 'cpu' } });
  });
});

describe('a busy operator', () => {
  test('gets more lanes where cores are free, as many as the rate then needs', () => {
    const { verdict } = judge({ decode: { running: 0.98, starved: 0.02 } });
    expect(verdict).toMatchObject({
      kind: 'cpu-bound',
      operators: ['decode'],
      cause: { type: 'software' },
      fix: { type: 'set', operator: 'decode', setting: 'parallelism' },
    });
    expect(verdict.gain?.factor).toBeGreaterThan(3);
  });

  test('that sees all elements in order is never told to use more lanes', () => {
    const { verdict, all } = judge({ order: { running: 0.98, starved: 0.02 }, decode: { running: 0.3 } });
    expect(verdict).toMatchObject({ kind: 'sequential-operator', operators: ['order'], cause: { type: 'software' } });
    expect(all.filter(({ fix }) => fix.type === 'set' && fix.operator === 'order')).toEqual([]);
  });

  test('is a matter of hardware where all cores are in use', () => {
    const { verdict } = judge({
      decode: { running: 0.98 },
      processCores: 1,
      host: { coresUsable: 1, coresPresent: 1 },
    });
    expect(verdict).toMatchObject({ cause: { type: 'hardware', resource: 'cpu' }, fix: { type: 'advice' } });
  });

  test('is a matter of the quota where the machine has more', () => {
    const host = { coresUsable: 1, coresPresent: 8, coresLimit: 'cgroup-v2' as const };
    const { verdict, kinds } = judge({ decode: { running: 0.98 }, processCores: 1, host });
    expect(verdict.kind).toBe('container-quota');
    expect(kinds).toContain('cpu-bound');
    // A quota that is not used up is worth knowing and no verdict.
    expect(judge({ decode: { running: 0.98 }, host: { ...host, coresUsable: 4 } }).verdict.kind).toBe('cpu-bound');
  });
});

test('a stage asleep outside, without bytes from storage, waits for something else', () => {
  const { verdict } = judge({ decode: { running: 0.02, blocked: 0.96, starved: 0.02 } });
  expect(verdict).toMatchObject({ kind: 'io-latency', figures: { medium: 'outside' }, cause: { type: 'software' } });
  expect(verdict.kind === 'io-latency' && verdict.figures.perElement).toBeCloseTo((0.96 / 50) * SECOND, -5);
});

test('what waits and sees all elements in order is not to have more threads, and nothing is promised of it', () => {
  const { verdict } = judge({ source: { running: 0.02, blocked: 0.96 }, decode: { running: 0.02, starved: 0.98 } });
  expect(verdict).toMatchObject({
    kind: 'io-latency',
    operators: ['source'],
    figures: { medium: 'outside' },
    fix: { type: 'advice' },
  });
  expect(verdict.gain).toBeUndefined();
});

describe('a stage asleep until calls are answered', () => {
  const sleeping = { running: 0.02, blocked: 0.96, starved: 0.02 };
  /** Fifty calls a second of 300 ms each, in one lane that may have 16 under way. */
  const waiting = (
    concurrency: number | undefined,
    calls: SteadyLane['perSecond'][string],
    shares: Shares = sleeping,
  ) => {
    const decode = lane('decode#0', 50, shares);
    const counted = { ...decode.perSecond['operator:decode'], ...calls };
    const lanes = [
      lane('source#0', 50, { running: 0.05 }),
      { ...decode, perSecond: { ...decode.perSecond, 'operator:decode': counted } },
      lane('order#0', 50, { running: 0.05, starved: 0.95 }),
      lane('consumer', 50, { running: 0.01, starved: 0.99 }),
    ];
    const operators = graph.operators.map(each =>
      each.id === 'decode' && concurrency !== undefined ? { ...each, concurrency } : each,
    );
    return findingsOf(analyse({ ...graph, operators }, lanes, 20));
  };
  const calls = { calls: 50, callTime: 50 * 300e3, failedCalls: 1 };

  test('waits on calls: concurrency is the knob, and nothing is promised of a service nobody has seen', () => {
    const { verdict, others } = waiting(16, calls);
    expect(verdict).toMatchObject({
      kind: 'waiting-on-calls',
      operators: ['decode'],
      figures: {
        concurrency: 16,
        underWay: expect.closeTo(15),
        callTime: expect.closeTo(300e6),
        failed: expect.closeTo(0.02),
      },
      fix: { type: 'set', operator: 'decode', setting: 'concurrency', value: 128 },
      gain: undefined,
      doubts: ['service-unseen'],
    });
    expect(others.map(({ kind }) => kind)).not.toContain('io-latency');
  });

  // A lane that ran for 2 % of the time was called full of work, and 22 times as much was promised for more of them.
  test('waits on calls also where it queues for a core whenever it wakes', () => {
    const { verdict, others } = waiting(16, calls, { running: 0.02, runnable: 0.5, blocked: 0.48 });
    expect(verdict.kind).toBe('waiting-on-calls');
    expect(others.map(({ kind }) => kind)).not.toContain('cpu-bound');
    // Few calls under way of those that may be: it is the queue for a core that holds it back.
    const few = waiting(64, calls, { running: 0.02, runnable: 0.5, blocked: 0.48 });
    expect([few.verdict, ...few.others].map(({ kind }) => kind)).not.toContain('waiting-on-calls');
  });

  test('at as many calls as are tried is no matter of more', () => {
    expect(waiting(256, calls).verdict).toMatchObject({
      kind: 'waiting-on-calls',
      fix: { type: 'advice' },
      doubts: [],
    });
  });

  test('is judged as before where nobody counted calls', () => {
    expect(waiting(16, {}).verdict.kind).toBe('io-latency');
    expect(waiting(undefined, {}).verdict.kind).toBe('io-latency');
  });
});

test('a stage asleep while the process computes outside its lanes works in threads of its own', () => {
  const { verdict } = judge({ decode: { running: 0.02, blocked: 0.96, starved: 0.02 }, processCores: 2 });
  expect(verdict).toMatchObject({ kind: 'own-threads', operators: ['decode'] });
});

describe('beside other programs', () => {
  test('a gain is what the cores that they leave can give', () => {
    const { verdict, analysis } = judge({ decode: { running: 0.98 }, processCores: 1.15, othersCores: 2.5 });
    expect(verdict).toMatchObject({ kind: 'cpu-bound', cause: { type: 'software' } });
    const { totalDemand } = analysis.rates;
    expect(verdict.gain?.rate).toBeCloseTo(1.5 / totalDemand.estimate);
  });

  test('no finding promises more than that, whatever the lanes do', () => {
    const part = fc.double({ min: 0.01, max: 0.3, noNaN: true });
    const shares = fc
      .record({ running: part, runnable: part, blocked: part, starved: part })
      .chain(each =>
        fc.constantFrom(...(['running', 'blocked'] as const)).map(main => ({ ...each, [main]: 0.05 + each[main] })),
      );
    fc.assert(
      fc.property(
        shares,
        shares,
        shares,
        fc.double({ min: 0.5, max: 4, noNaN: true }),
        (source, decode, order, taken) => {
          const { all, analysis } = judge({ source, decode, order, processCores: 1, othersCores: taken });
          const { totalDemand, cpu } = analysis.rates;
          for (const { gain } of all) {
            expect(gain?.rate ?? 0).toBeLessThanOrEqual((cpu.left / totalDemand.estimate) * 1.0001);
          }
        },
      ),
      { numRuns: 25 },
    );
  });
});

describe('a gain that may be anything', () => {
  /** All cores are busy, and of their work so much is overhead. */
  const handingOn = (overhead: number) => {
    const busy = (name: string): SteadyLane => ({
      ...lane(name, 50, { running: 0.99 }),
      perSecond: {
        ...lane(name, 50, { running: 0.99 }).perSecond,
        lane: { ...states(0.99), overhead: overhead * 0.99 * SECOND },
      },
    });
    const lanes = ['source#0', 'decode#0', 'order#0'].map(busy);
    const host = { ...HOST, coresPresent: 3, coresUsable: 3 };
    const { verdict, others } = findingsOf(analyse(graph, lanes, 20, { host }));
    return [verdict, ...others].find(({ kind }) => kind === 'small-operators');
  };

  // 19.6 times as fast was promised beside a CPU that is full.
  test('is not promised, and that is said', () => {
    expect(handingOn(0.95)).toMatchObject({ gain: undefined, doubts: ['gain-untold'] });
    expect(handingOn(0.6)).toMatchObject({ gain: { factor: expect.closeTo(2.5) }, doubts: [] });
  });

  test('is none where the recording is too uneven', () => {
    const { analysis: uneven } = judge({ decode: { running: 0.98 } });
    const { totalDemand } = uneven.rates;
    const noisy = {
      ...uneven,
      rates: {
        ...uneven.rates,
        totalDemand: { ...totalDemand, low: totalDemand.estimate / 2, high: 2 * totalDemand.estimate },
      },
    };
    expect(findingsOf(uneven).verdict.gain).toBeDefined();
    expect(findingsOf(noisy).verdict).toMatchObject({
      gain: undefined,
      doubts: expect.arrayContaining(['gain-untold']),
    });
  });
});

describe('a recording that is too short', () => {
  test('is not judged', () => {
    const { verdict, kinds } = judge({ seconds: 0.5, decode: { running: 0.99 } });
    expect(verdict.kind).toBe('short-recording');
    expect(kinds).toEqual([]);
  });

  test('but long enough for a verdict is called short beside it', () => {
    const { verdict, kinds } = judge({ seconds: 1.5, decode: { running: 0.99 } });
    expect(verdict.kind).toBe('cpu-bound');
    expect(kinds).toContain('short-recording');
  });
});

test('where nothing is busy, that is what is said', () => {
  const { verdict } = judge({ decode: { running: 0.4, starved: 0.3 } });
  expect(verdict).toMatchObject({ kind: 'unclear', figures: { nearest: 'decode' } });
});

test('a function that does not return comes before everything that follows from it', () => {
  const stuck = [
    { lane: 'order#0', operators: ['order'], element: 9, elements: 1, since: 4 * SECOND },
    { lane: 'decode#0', operators: ['decode'], element: 7, elements: 1, since: 3 * SECOND },
  ];
  const { verdict, kinds } = judge({ rate: 0, stuck });
  expect(verdict).toMatchObject({
    kind: 'stuck-operator',
    operators: ['decode'],
    figures: { element: 7, since: 3 * SECOND, duration: 17 * SECOND },
  });
  expect(kinds).toEqual([]);
});
