import { describe, expect, test } from 'vitest';
import { kindNamed } from '../model/kind.ts';
import { planFor } from './plan.ts';
import { inShort, OPTIONS, others, plan, type Recorded, recorded } from './recorded.fixture.ts';

const images: readonly Recorded[] = [
  { id: 'files', kind: 'files', ms: 0.01 },
  { id: 'decode', ms: 2, bytes: 100_000 },
  { id: 'crop', ms: 0.5, bytes: 50_000 },
  { id: 'batch', kind: 'batch', ms: 0.01, out: 0.1, bytes: 500_000 },
];

describe('threads', () => {
  test('neighbours that can be divided are divided together, into as many as there are cores', () => {
    const tuned = plan(images);
    expect(inShort(tuned)).toEqual(['decode.parallelism=4']);
    expect(tuned.changes[0]?.reason).toBe('binds');
    expect(tuned.binding.kind).toBe('cores');
    expect(tuned.predicted.estimate / tuned.before.estimate).toBeGreaterThan(3.5);
  });

  test('on one core there is nothing to divide, and threads of the author are taken back', () => {
    expect(inShort(plan(images, { cores: 1 }))).toEqual([]);
    const divided = images.map(each => (each.id === 'decode' ? { ...each, more: { parallelism: 4 } } : each));
    expect(inShort(plan(divided, { cores: 1 }))).toEqual(['decode.parallelism=rides']);
  });

  test('a quota of a core and a half is worth two threads, not one and not four', () => {
    expect(inShort(plan(images, { cores: 1.5 }))).toEqual(['decode.parallelism=2']);
  });

  test('what the author divided well is left alone', () => {
    const divided = images.map(each => (each.id === 'decode' ? { ...each, more: { parallelism: 4 } } : each));
    expect(inShort(plan(divided))).toEqual([]);
  });

  test('sleep is a reason for more threads than there are cores', () => {
    const tuned = plan([
      { id: 'source', kind: 'range', ms: 0.01 },
      { id: 'fetch', ms: 0.1, asleep: 1 },
      { id: 'window', kind: 'window', ms: 0.3 },
    ]);
    const [fetch] = tuned.changes.map(({ action }) => action);
    expect(fetch).toMatchObject({ kind: 'parallelism', operator: 'fetch' });
    expect(fetch?.kind === 'parallelism' ? fetch.to : 0).toBeGreaterThan(3);
  });

  test('async calls that wait can be more, without a thread', () => {
    const calls = (concurrency: number): readonly Recorded[] => [
      { id: 'source', kind: 'range', ms: 0.01 },
      { id: 'ask', ms: 0.1, asleep: 1, more: { concurrency } },
      { id: 'window', kind: 'window', ms: 0.01 },
    ];
    const tuned = plan(calls(4), { cores: 1 });
    expect(inShort(tuned)).toContain('ask.concurrency=32');
    expect(tuned.predicted.estimate / tuned.before.estimate).toBeGreaterThan(2);
    expect(inShort(plan(calls(256), { cores: 1 })).some(change => change.includes('concurrency'))).toBe(false);
  });

  test('operators that are told to be kept are', () => {
    const kept = plan(images, { keep: ['decode'] });
    expect(inShort(kept).some(change => change.startsWith('decode'))).toBe(false);
  });

  test('what is done for its effect stays in order', () => {
    const effects: readonly Recorded[] = [
      { id: 'source', kind: 'range', ms: 0.001 },
      { id: 'work', ms: 1 },
      { id: 'write', kind: 'forEach', ms: 0.01 },
    ];
    const tuned = plan(effects);
    expect(inShort(tuned)).toEqual(['work.parallelism=4', 'write.parallelism=1']);
    expect(tuned.changes.at(-1)?.reason).toBe('in-order');
  });

  test('elements too small for a channel are not sent through one', () => {
    const tiny = plan([
      { id: 'numbers', kind: 'range', ms: 5e-6 },
      { id: 'add', ms: 10e-6 },
      { id: 'batch', kind: 'batch', ms: 5e-6, out: 0.01 },
    ]);
    expect(inShort(tiny)).toEqual([]);
  });

  test('may be the rule of thumb: as many as there are cores for whatever can be divided', () => {
    const everywhere = ['decode.parallelism=2', 'crop.parallelism=2', 'normalise.parallelism=2'];
    const chain: readonly Recorded[] = [
      { id: 'range', kind: 'range', ms: 0.01 },
      ...['decode', 'crop', 'normalise'].map(id => ({ id, ms: 5, bytes: 1e4 })),
      { id: 'batch', kind: 'batch', ms: 0.01, out: 0.1 },
    ];
    const tried = (options: Parameters<typeof others>[1]): string[][] => others(chain, options).map(inShort);
    expect(tried({ cores: 2 })).toContainEqual(everywhere);
    expect(tried({ cores: 2, keep: ['crop'] })).toContainEqual(everywhere.filter(change => !change.startsWith('crop')));
    expect(
      tried({ cores: 2, without: ['parallelism'] })
        .flat()
        .join(),
    ).not.toContain('parallelism');
  });
});

describe('a second round', () => {
  test('knows how costs grow as cores fill, and forecasts less by that', () => {
    // With four threads at work each element takes half as much again.
    const tuned = plan(images);
    const crowded = recorded(
      images.map(each => ({
        ...each,
        ms: 1.5 * each.ms,
        ...(each.id === 'decode' ? { more: { parallelism: 4 } } : {}),
      })),
    );
    const again = plan(images, { rounds: [crowded] });
    expect(inShort(again)).toEqual(inShort(tuned));
    expect(tuned.predicted.estimate / again.predicted.estimate).toBeCloseTo(1.5, 1);
    expect(again.predicted.estimate / crowded.rates.rate.estimate).toBeCloseTo(1, 1);
  });
});

describe('a target', () => {
  test('gets the fewest threads that reach it', () => {
    const enough = plan(images, { target: 70 });
    const [change] = enough.changes.map(({ action }) => action);
    expect(change).toMatchObject({ kind: 'parallelism', operator: 'decode', to: 3 });
    expect(enough.predicted.estimate).toBeGreaterThanOrEqual(70);
  });

  test('that is reached already asks for nothing', () => {
    expect(inShort(plan(images, { target: 20 }))).toEqual([]);
  });

  test('that nothing reaches is answered with the ceiling and what binds', () => {
    const wanted = plan(images, { target: 1e6 });
    expect(wanted.ceiling.estimate).toBeLessThan(1e6);
    expect(wanted.ceilingBy).toMatchObject({ kind: 'cores' });
  });
});

describe('operators in order', () => {
  test('two in one thread can work at the same time', () => {
    const tuned = plan([
      { id: 'source', kind: 'range', ms: 1 },
      { id: 'window', kind: 'window', ms: 1 },
    ]);
    expect(inShort(tuned)).toEqual(['source.prefetch']);
    expect(tuned.predicted.estimate / tuned.before.estimate).toBeGreaterThan(1.8);
  });

  test('a source that one thread cannot read fast enough is read in parts', () => {
    const tuned = plan([
      { id: 'lines', kind: 'lines', ms: 1, more: { divisible: true } },
      { id: 'parse', ms: 0.5 },
      { id: 'batch', kind: 'batch', ms: 0.01, out: 0.1 },
    ]);
    expect(inShort(tuned).filter(change => change.includes('divide'))).toHaveLength(1);
    expect(tuned.predicted.estimate / tuned.before.estimate).toBeGreaterThan(3);
  });

  test('but not where someone is told the numbers of its elements', () => {
    const tuned = plan([
      { id: 'lines', kind: 'lines', ms: 1, more: { divisible: true } },
      { id: 'parse', ms: 0.5, more: { context: true } },
      { id: 'batch', kind: 'batch', ms: 0.01, out: 0.1 },
    ]);
    expect(inShort(tuned).some(change => change.includes('divide'))).toBe(false);
  });
});

describe('a cache', () => {
  const epochs: Recorded = { id: 'epochs', kind: 'repeat', ms: 0, more: { settings: { times: 10 } } };

  test('stands where it spares most and nothing random is kept', () => {
    const random = images.map(each => (each.id === 'crop' ? { ...each, draws: 2 } : each));
    const tuned = plan([...random, epochs], { epochs: 10 });
    expect(inShort(tuned)).toContain('decode.cache');
    expect(tuned.cold?.paysAfter).toBe(2);
    expect(tuned.predicted.estimate).toBeGreaterThan(3 * (tuned.cold?.rate.estimate ?? 0));
  });

  test('is followed by a second thread where elements have become small', () => {
    const tuned = plan(
      [
        { id: 'range', kind: 'range', ms: 0.01 },
        { id: 'decode', ms: 30, bytes: 2e7, more: { random: false } },
        { id: 'crop', ms: 5, bytes: 1e4, draws: 1 },
        { id: 'normalise', ms: 6, bytes: 1e4 },
        { id: 'batch', kind: 'batch', ms: 0.01, out: 0.1 },
        epochs,
      ],
      { epochs: 10, cores: 2, memory: 1e15 },
    );
    // Handing on 20 MB takes longer than cropping them.
    expect(inShort(tuned)).toEqual(expect.arrayContaining(['decode.cache', 'normalise.parallelism=1']));
    expect(inShort(tuned)).not.toContain('crop.parallelism=2');
  });

  test('that was tried is planned with what was measured behind it', () => {
    const chain: readonly Recorded[] = [
      { id: 'lines', kind: 'lines', ms: 0.01, bytes: 100 },
      { id: 'tokens', ms: 2, bytes: 100 },
      { id: 'mask', ms: 1e-5, draws: 1, bytes: 100 },
      { id: 'pack', kind: 'batch', ms: 0.001, out: 0.1, bytes: 1000 },
      epochs,
    ];
    expect(inShort(plan(chain, { epochs: 10 }))).toEqual(expect.arrayContaining(['tokens.cache']));
    expect(inShort(plan(chain, { epochs: 10 })).some(change => change.startsWith('mask'))).toBe(false);
    // Out of the cache they come slowly, and mask finds nothing in the processor's own.
    const tried = recorded([
      { id: 'tokens', kind: 'range', ms: 0 },
      { id: 'tokens/cache', kind: 'cache', ms: 0.05, bytes: 100 },
      { id: 'mask', ms: 0.05, draws: 1, bytes: 100 },
      { id: 'pack', kind: 'batch', ms: 0.001, out: 0.1, bytes: 1000 },
      epochs,
    ]);
    const again = inShort(plan(chain, { epochs: 10, rounds: [tried] }));
    expect(again).toEqual(expect.arrayContaining(['tokens.cache', 'mask.parallelism=2']));
  });

  test('can be had elsewhere, or not at all: the best for each place, and the best of those first', () => {
    const random = images
      .map(each => (each.id === 'crop' ? { ...each, draws: 2 } : each))
      .flatMap(each => (each.id === 'decode' ? [{ id: 'read', ms: 2, bytes: 10_000 }, each] : [each]));
    const all = others([...random, epochs], { epochs: 10 });
    const kept = all.map(each => inShort(each).find(change => change.endsWith('.cache')));
    // What 'files' gives costs nothing.
    expect([...new Set(kept)]).toEqual(['decode.cache', 'read.cache', undefined]);
    const rates = all.map(({ overall }) => overall);
    expect(rates).toEqual([...rates].sort((a, b) => b - a));
    // What the first pass takes counts, and the ceiling is that of all of them.
    expect(all[0]?.overall).toBeLessThan(all[0]?.predicted.estimate ?? 0);
    expect(new Set(all.map(({ ceiling }) => ceiling.estimate)).size).toBe(1);
    const keepingNothing = others([...random, epochs], { epochs: 10, without: ['cache'] });
    expect(keepingNothing.flatMap(inShort).some(change => change.endsWith('.cache'))).toBe(false);
  });

  test('stands nowhere where another spares more and keeps no more, whatever a trial has shown', () => {
    const chain: readonly Recorded[] = [
      { id: 'lines', kind: 'lines', ms: 0.01, bytes: 100 },
      { id: 'encode', ms: 2, bytes: 100 },
      { id: 'belong', kind: 'filter', ms: 0.1, out: 0.8, bytes: 100 },
      { id: 'mask', ms: 0.1, draws: 1, bytes: 100 },
      { id: 'pack', kind: 'batch', ms: 0.001, out: 0.1, bytes: 1000 },
      epochs,
    ];
    const places = (of: readonly Recorded[], options: Parameters<typeof others>[1]): Set<string | undefined> =>
      new Set(others(of, options).map(each => inShort(each).find(change => change.endsWith('.cache'))));
    expect(places(chain, { epochs: 10 })).toEqual(new Set(['belong.cache', undefined]));
    expect(places(chain, { epochs: 10, keep: ['belong'] })).toEqual(new Set(['encode.cache', undefined]));
    const keepingMost = (bytes: number): readonly Recorded[] =>
      chain.map(each => (each.id === 'belong' ? { ...each, out: 0.99, bytes } : each));
    // Sampled sizes are a little off; those of twice the size are no error.
    expect(places(keepingMost(103), { epochs: 10 })).toEqual(new Set(['belong.cache', undefined]));
    expect(places(keepingMost(200), { epochs: 10 })).toEqual(new Set(['belong.cache', 'encode.cache', undefined]));
    // Behind the cache that was tried everything took ten times as long: the other only seems better for not having been tried.
    const tried = recorded([
      { id: 'belong', kind: 'range', ms: 0 },
      { id: 'belong/cache', kind: 'cache', ms: 0.5, bytes: 100 },
      { id: 'mask', ms: 1, draws: 1, bytes: 100 },
      { id: 'pack', kind: 'batch', ms: 0.001, out: 0.1, bytes: 1000 },
      epochs,
    ]);
    const again = inShort(plan(chain, { epochs: 10, rounds: [tried] }));
    expect(again).not.toContain('encode.cache');
  });

  test('can be had with fewer threads behind it, where they bring little', () => {
    const chain: readonly Recorded[] = [
      { id: 'range', kind: 'range', ms: 0.01 },
      { id: 'decode', ms: 30, bytes: 2e7, more: { random: false } },
      { id: 'crop', ms: 5, bytes: 1e4, draws: 1 },
      { id: 'normalise', ms: 2.5, bytes: 1e4 },
      { id: 'batch', kind: 'batch', ms: 0.01, out: 0.1 },
      epochs,
    ];
    const plans = others(chain, { epochs: 10, cores: 2, memory: 1e15 }).map(inShort);
    const keeping = plans.filter(changes => changes.includes('decode.cache'));
    expect(keeping.map(changes => changes.includes('normalise.parallelism=1'))).toEqual([true, false]);
  });

  test('is not worth it for one pass, and needs room', () => {
    expect(inShort(plan(images)).some(change => change.endsWith('.cache'))).toBe(false);
    expect(inShort(plan([...images, epochs], { epochs: 10, memory: 1e6 })).some(each => each.endsWith('.cache'))).toBe(
      false,
    );
  });

  test('goes to disk where memory is short and a folder was named', () => {
    const { changes } = plan([...images, epochs], {
      epochs: 10,
      memory: 1e6,
      disk: { folder: 'kept', bytesPerSecond: undefined },
    });
    expect(changes.map(({ action }) => action)).toContainEqual(
      expect.objectContaining({ kind: 'cache', folder: 'kept' }),
    );
  });

  test('of a function that nobody vouches for needs a thousand elements without a draw', () => {
    // Twenty seconds at 25 a second.
    const slow = images.map(each => (each.id === 'decode' ? { ...each, ms: 40 } : each));
    expect(inShort(plan([...slow, epochs], { epochs: 10 })).some(each => each.endsWith('.cache'))).toBe(false);
    const sworn = slow.map(each => (each.id === 'batch' ? each : { ...each, more: { random: false } }));
    expect(inShort(plan([...sworn, epochs], { epochs: 10 })).some(each => each.endsWith('.cache'))).toBe(true);
  });
});

test('kinds decide nothing: under other words the plan is the same', () => {
  const chain: Recorded[] = [
    { id: 'files', kind: 'files', ms: 0.05, bytes: 1e5, more: { divisible: true } },
    { id: 'decode', ms: 3, bytes: 2e5, more: { random: false } },
    { id: 'mix', kind: 'shuffle', ms: 0.01, bytes: 2e5 },
    { id: 'batch', kind: 'batch', ms: 0.02, out: 0.1, bytes: 2e6 },
    { id: 'ahead', kind: 'prefetch', ms: 0, bytes: 2e6 },
    { id: 'epochs', kind: 'repeat', ms: 0, bytes: 2e6, more: { settings: { times: 3 } } },
  ];
  const analysis = recorded(chain);
  const operators = analysis.graph.operators.map((operator, at) => ({ ...operator, kind: kindNamed(`op${at}`) }));
  const renamed = { ...analysis, graph: { ...analysis.graph, operators } };
  const { changes } = planFor(analysis, OPTIONS);
  expect(changes.length).toBeGreaterThan(0);
  expect(planFor(renamed, OPTIONS).changes).toEqual(changes);
});

test('rules can be switched off, and say what they did and how long it took', () => {
  let clock = 0;
  const tuned = plan(images, { without: ['parallelism'], now: () => clock++ });
  expect(inShort(tuned).some(change => change.includes('parallelism'))).toBe(false);
  expect(tuned.rules.map(({ name }) => name)).toEqual([
    'sources',
    'concurrency',
    'outer',
    'prefetch',
    'cache',
    'batches',
    'fusion',
    'in-order',
  ]);
  expect(tuned.rules.every(({ ms }) => ms === 1)).toBe(true);
});

describe('what cannot go to another thread', () => {
  const parsed = (stays: string): readonly Recorded[] =>
    [
      { id: 'source', kind: 'range', ms: 0.01 },
      { id: 'parse', ms: 2 },
      { id: 'clean', ms: 2 },
      { id: 'window', kind: 'window', ms: 0.5 },
      { id: 'epochs', kind: 'repeat', ms: 0, more: { settings: { times: 'epochs' } } },
    ].map(each => ({ ...each, stays: each.id === stays }));
  /** The stages that a plan leads to, by their operators. */
  const stagesOf = (tuned: ReturnType<typeof plan>): string[] =>
    tuned.arrangement.stages.map(({ operators }) => operators.map(({ id }) => id).join(' '));

  test('is divided together with what reads it', () => {
    for (const tuned of [plan(parsed('parse')), ...others(parsed('parse'), { epochs: 5 })]) {
      expect(stagesOf(tuned).some(stage => / ?parse$/.test(stage))).toBe(false);
    }
    expect(inShort(plan(parsed('parse')))).toEqual(['parse.parallelism=4']);
  });

  test('is left where it is when what reads it sees all elements in order, and the rest is planned without it', () => {
    const chain = parsed('clean');
    for (const tuned of [plan(chain), ...others(chain, { epochs: 5 })]) {
      expect(stagesOf(tuned).some(stage => / ?clean$/.test(stage))).toBe(false);
    }
    expect(inShort(plan(chain))).toEqual(['parse.prefetch']);
  });

  test('leaves what reads it in the thread of the source', () => {
    expect(stagesOf(plan(parsed('source')))[0]).toMatch(/^source parse/);
    expect(inShort(plan(parsed('source')))).toEqual(['clean.parallelism=2']);
  });

  test('may be known from a trial', () => {
    expect(stagesOf(plan(parsed(''), { staying: ['clean'] }))).toEqual(stagesOf(plan(parsed('clean'))));
  });

  test('keeps nobody from what crossed threads already', () => {
    const divided = parsed('clean').map(each => (each.id === 'clean' ? { ...each, more: { parallelism: 2 } } : each));
    expect(plan(divided).predicted.estimate).toBeGreaterThan(0);
  });
});
