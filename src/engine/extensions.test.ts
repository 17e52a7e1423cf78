import { readFileSync } from 'node:fs';
import { defineDecoder, defineOperator, defineSource, from, lines, type RunOptions, range } from 'venturi/engine';
import { afterAll, describe, expect, it } from 'vitest';
import extensions from './fixtures/extensions.fixture.ts';
import { collect, failureOf, within } from './fixtures/outcome.fixture.ts';
import { ScratchFolder } from './fixtures/scratch-folder.fixture.ts';

const folder = new ScratchFolder();
afterAll(() => folder.remove());

type Params = Readonly<Record<string, string | number>>;

const results = (name: string, params: Params = {}, options: RunOptions = {}): Promise<unknown[]> =>
  within(collect(extensions.run({ ...options, params: { name, ...params } })));

/** Inline one by one, and on threads with small and with fitted chunks. */
const ways = (most: number): [RunOptions, Params][] => [
  [{ parallelism: 0 }, {}],
  [{ parallelism: 0, chunkElements: 7 }, {}],
  [{ chunkElements: 3, slots: 2 }, { parallelism: most }],
  [{}, { parallelism: 1 }],
];

async function everyWay(name: string, expected: unknown, params: Params = {}, most = 3): Promise<void> {
  for (const [options, more] of ways(most)) {
    expect(await results(name, { ...params, ...more }, options), JSON.stringify([options, more])).toEqual(expected);
  }
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, at) => at);

describe('a source from outside', () => {
  it('is opened anew for every pass, and told which it is', async () => {
    await everyWay('source', [...upTo(40), ...upTo(40).map(x => x + 1000)]);
  });

  it('may be async', async () => {
    await everyWay('sourceLater', upTo(40));
  });

  it('may hand out elements a piece at a time, and is closed after every pass', async () => {
    const log = folder.write('pieces', '');
    expect(await results('sourceInPieces', { log })).toEqual([...upTo(40), ...upTo(40)]);
    expect(readFileSync(log, 'utf8')).toBe('close\nclose\n');
  });

  it('stands in the graph under its kind, with its settings', async () => {
    const run = extensions.run({ params: { name: 'source' }, parallelism: 0 });
    expect(run.graph.operators[0]).toMatchObject({ id: 'counting', kind: 'counting', settings: { count: 40 } });
    await run.drain();
    expect(run.progress().done).toBe(1);
  });
});

describe('an operator from outside', () => {
  it('keeps the order, and hands out at the end what it held back', async () => {
    await everyWay(
      'delayed',
      // What leaves has the number of the element that made it leave; at the end, of the last.
      upTo(40).map(x => [x, Math.min(39, x + 5)]),
    );
  });

  it('begins anew with every pass', async () => {
    const batches = Array.from({ length: 10 }, (_, at) => upTo(4).map(x => x + 4 * at));
    await everyWay('delayedTwice', [...batches, ...batches]);
  });

  it('does not notice passes that are repeated before it', async () => {
    await everyWay('delayedAcross', [...upTo(40), ...upTo(40)]);
  });

  it('is left early where enough was taken, and started over', async () => {
    const pass = [[0, 1], [2, 3], [4, 5], [6]];
    await everyWay('delayedTaken', [...pass, ...pass]);
  });

  it('opens and closes once for every pass, in one thread', async () => {
    const log = folder.write('passes', '');
    await results('delayedTwice', { log });
    expect(readFileSync(log, 'utf8')).toBe('open 0\nclose 0\n'.repeat(2));
  });

  it('closes where the run is stopped', async () => {
    const log = folder.write('stopped', '');
    const run = extensions.run({ params: { name: 'delayed', count: 1e9, log } });
    for await (const _ of run) break;
    expect(readFileSync(log, 'utf8')).toBe('open 0\nclose 0\n');
  });

  it('that is divisible shares its work among threads, to the same result', async () => {
    const expected = [0, 1].flatMap(epoch =>
      upTo(40).flatMap(at => {
        const x = at + 1000 * epoch;
        return upTo(x % 4).map(copy => [x, at + 40 * epoch, epoch, copy]);
      }),
    );
    await everyWay('repeated', expected);
    await everyWay(
      'repeatedTaken',
      expected.slice(0, 5).map(([x, ...rest]) => [x, ...rest]),
    );
  });

  it('has random numbers that do not depend on threads, nor have those behind it', async () => {
    const inline = await results('random', {}, { parallelism: 0 });
    expect(new Set(inline.map(element => (element as number[])[3])).size).toBeGreaterThan(30);
    await everyWay('random', inline);
  });

  it('stands in the graph under its kind, with its settings', () => {
    const { graph } = extensions.run({ params: { name: 'delayed' }, parallelism: 0 });
    expect(graph.operators.find(({ id }) => id === 'late')).toMatchObject({
      kind: 'delayed',
      sequential: true,
      settings: { count: 5 },
      location: expect.stringContaining('extensions.fixture.ts'),
    });
  });

  it.each([
    ['open', "'failing' threw: Error: no open"],
    ['element', "'failing' threw on element 7: Error: no seven"],
    ['generator', "'failing' threw on element 7: Error: no seven"],
    ['end', "'failing' threw"],
  ])('that fails in %s is named', async (where, message) => {
    for (const options of [{}, { parallelism: 0 }] as const) {
      const error = await failureOf(results('failing', { where }, options));
      expect([error.code, error.message]).toEqual(['VENTURI_USER_FUNCTION', expect.stringContaining(message)]);
      expect(error.remedy).toContain('extensions.fixture.ts:');
    }
  });

  it.each([
    ['ends', 'VENTURI_USER_FUNCTION', 'no thread sees the end of all elements'],
    ['async', 'VENTURI_USER_FUNCTION', 'cannot be async'],
    ['promise', 'VENTURI_PROMISE_RETURNED', 'does not wait for one'],
    ['empty', 'VENTURI_USER_FUNCTION', 'returned no { element }'],
  ])('that is unfit is told so: %s', async (where, code, message) => {
    const error = await failureOf(results('unfit', { where }, { parallelism: 0 }));
    expect([error.code, error.message]).toEqual([code, expect.stringContaining(message)]);
  });
});

describe('decoders from outside', () => {
  it('are chosen by first bytes, else by ending, and may be async', async () => {
    await everyWay('decoded', [3, 'hi'], {}, 2);
  });

  it('that do not know what they are given say so', async () => {
    const error = await failureOf(results('undecoded'));
    expect(error.code).toBe('VENTURI_BAD_RECORD');
    expect(error.message).toBe(
      "'from/map' failed on element 1: no decoder knows http://host/b.TXT?x=.bin, which begins with 68 69",
    );
    expect(error.remedy).toContain('lengths');
  });
});

describe('what cannot be defined is refused', () => {
  const open = (): { element: () => never[] } => ({ element: () => [] });
  it.each([
    ['a kind that is no word', () => defineOperator({ kind: 'a/b', open }), "'a/b' cannot be the kind"],
    ['the kind of a built-in operator', () => defineOperator({ kind: 'map', open }), 'built-in operator and'],
    [
      'the kind of a built-in source',
      () => lines('x') && defineOperator({ kind: 'lines', open }),
      'source and operator in order',
    ],
    [
      'a kind twice',
      () => [range(1).apply({ kind: 'both', open }), from({ kind: 'both', open: () => [] })],
      'in order',
    ],
    ['a source like a counted one', () => from({ kind: 'range', open: () => [] }), 'built-in operator and'],
    ['an operator that does nothing', () => defineOperator({ kind: 'idle' } as never), 'no function open(worker)'],
    ['a source that gives nothing', () => defineSource({ kind: 'dry' } as never), 'no function open(context)'],
    [
      'settings that cannot be recorded',
      () => defineOperator({ kind: 'big', settings: { n: 1n }, open }),
      'plain data',
    ],
    ['threads for what is not divisible', () => range(1).apply({ kind: 'one', open }, { parallelism: 2 }), 'in order'],
    ['a decoder that knows nothing', () => defineDecoder({ kind: 'blind', decode: () => 1 }), 'neither first bytes'],
    [
      'an ending without its dot',
      () => defineDecoder({ kind: 'qoi', extensions: ['qoi'], decode: () => 1 }),
      "has the ending 'qoi'",
    ],
  ])('%s', (_, define, message) => {
    expect(define).toThrow(
      expect.objectContaining({ code: 'VENTURI_BAD_OPTION', message: expect.stringContaining(message) }),
    );
  });

  it('but the same again is fine: a module can be loaded twice', () => {
    expect(defineOperator({ kind: 'twice', open })).not.toBe(defineOperator({ kind: 'twice', open }));
  });
});
