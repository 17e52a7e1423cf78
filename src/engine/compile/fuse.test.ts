import { describe, expect, it } from 'vitest';
import { define } from '../api/define.ts';
import { defineOperator } from '../description/extension.ts';
import type { Pipeline } from '../description/pipeline.ts';
import { operatorKind } from '../operators/registry.ts';
import { range } from '../sources/range.ts';
import { type FusedSource, fuse } from './fuse.ts';
import type { FuseOptions } from './fused-chain.ts';
import { nodesOf } from './node.ts';

const OPTIONS: FuseOptions = {
  series: { start: 0, step: 1 },
  flat: false,
  identity: false,
  timed: false,
  nonce: 'test',
};

const fused = (pipeline: Pipeline<unknown>, options: Partial<FuseOptions> = {}): FusedSource =>
  fuse(
    nodesOf(pipeline.node).map(({ kind, settings }) => ({
      kind: operatorKind(kind),
      settings,
      wantsContext: false,
      skips: false,
      discards: false,
    })),
    { ...OPTIONS, ...options },
  );

/** Every line with its owner in front. */
const listing = ({ text, owners }: FusedSource): string[] =>
  text.split('\n').map((line, at) => `${owners[at + 1] ?? '-'} ${line.trim()}`);

/** The same without the copy of the loop that tells whose random numbers were drawn. */
const plain = (source: FusedSource): string[] => {
  const lines = listing(source);
  const from = lines.findIndex(line => line.includes('function settling('));
  const to = lines.findIndex((line, at) => at > from && line.includes('function '));
  return [...lines.slice(0, from), ...lines.slice(to)];
};

const pairs = defineOperator({ kind: 'pairs', open: () => ({ element: (x: number) => [x, x] }) });

const everything = range(9)
  .map(x => x)
  .filter(x => x > 0)
  .flatMap(x => [x])
  .skip(1)
  .take(9)
  .shuffle(3)
  .repeat(2)
  .batch(2)
  .prefetch(4);

describe('generated source', () => {
  it('has one statement per line', () => {
    for (const identity of [false, true]) {
      for (const timed of [false, true]) {
        const lines = fused(everything, { identity, timed }).text.split('\n');
        const statements = lines.map(line => line.replace(/\bfor \([^)]*\)/, '').split(';').length - 1);
        expect(lines.filter((_, at) => (statements[at] ?? 0) > 1)).toEqual([]);
      }
    }
  });

  it('is one loop in which every operator owns its lines', () => {
    const chain = range(9)
      .map(x => x)
      .filter(x => x > 0)
      .map(x => x);
    const lines = plain(fused(chain));
    expect(lines).toContain('1 mapped1 = call1(value);');
    expect(lines).toContain('2 kept2 = call2(mapped1);');
    expect(lines).toContain('2 if (!kept2) continue;');
    expect(lines).toContain('3 mapped3 = call3(mapped1);');
    const order = lines.filter(line => /call\d\(/.test(line)).map(line => line[0]);
    expect(order).toEqual(['1', '2', '3']);
    expect(lines.filter(line => line.includes('for ('))).toEqual(['- for (; turn < count; turn++) {']);
  });

  it('gives every line that belongs to an operator its owner', () => {
    for (const timed of [false, true]) {
      for (const line of listing(fused(everything, { timed, identity: true }))) {
        const [owner, ...code] = line.split(' ');
        // Variables carry the number of their operator; those of the preamble and of the hand-over belong to nobody.
        const numbered =
          /(?:const|let) (?:mapped|kept|items|item|whole|rest|batch|buffer|place|leaving|taken|skipped)(\d)/.exec(
            code.join(' '),
          );
        if (numbered !== null) expect(owner, line).toBe(numbered[1]);
        const timedBy = /sampler\.(?:tick|tickAgain|sized)\((\d)/.exec(line);
        if (timedBy !== null) expect(owner, line).toBe(timedBy[1]);
      }
    }
  });

  it('of a known chain names the owner of every call and hand-over, one to a line', () => {
    const chain = range(9)
      .map(x => x)
      .batch(2)
      .filter(batch => batch.length > 1);
    const lines = plain(fused(chain));
    const calls = lines.filter(line => /\b(call|after)\d\(/.test(line) && !line.includes('function'));
    expect(calls).toEqual([
      '3 kept3 = call3(handed2);',
      '1 mapped1 = call1(value);',
      '2 after2(whole2, 0, 0);',
      '2 after2(rest2, 0, 0);',
    ]);
    const owned = (owner: string): string[] => lines.filter(line => line.startsWith(`${owner} `));
    expect(owned('0')).toEqual([]);
    expect(owned('1')).toEqual([
      '1 let mapped1;',
      '1 try {',
      '1 mapped1 = call1(value);',
      '1 } catch (error) {',
      '1 blame.caller = 1;',
      '1 throw error;',
      '1 }',
      "1 if (typeof mapped1 === 'object' && mapped1 instanceof Promise) promised(mapped1, 1);",
    ]);
    expect(owned('3').slice(2, 9)).toEqual([
      '3 kept3 = call3(handed2);',
      '3 } catch (error) {',
      '3 blame.caller = 3;',
      '3 throw error;',
      '3 }',
      '3 if (ambient.count !== ambient.settled) settle(3);',
      "3 if (typeof kept3 === 'object' && kept3 instanceof Promise) promised(kept3, 3);",
    ]);
    for (const line of owned('2')) expect(line, line).toMatch(/(batch|fill|whole|rest|out|after)2|\}/);
  });

  it('asks whose random numbers were drawn in a copy of the loop, after every call', () => {
    const chain = range(9)
      .map(x => x)
      .flatMap(x => [x]);
    const source = fused(chain);
    const asks = (line: string): boolean => line.includes('settle(');
    expect(plain(source).filter(asks)).toEqual([]);
    const lines = listing(source).filter(line => asks(line) || /call\d\(/.test(line));
    const ask = (at: number): string => `${at} if (ambient.count !== ambient.settled) settle(${at});`;
    expect(lines.slice(2)).toEqual([
      '1 mapped1 = call1(value);',
      ask(1),
      '2 items2 = call2(mapped1);',
      ask(2),
      ask(2),
      ask(2),
    ]);
  });

  it('is unique where it is asked to be', () => {
    expect(fused(everything, { nonce: 'a' }).text).not.toBe(fused(everything, { nonce: 'b' }).text);
    expect(fused(everything, { nonce: 'a' }).text).toBe(fused(everything, { nonce: 'a' }).text);
  });

  it('asks no clock unless it is timed', () => {
    expect(fused(everything).text).not.toContain('sampler.');
    expect(fused(everything, { timed: true }).text).toContain('sampler.tick(1, time)');
  });

  it('times what a generator does before each item and after the last, and not what comes behind it', () => {
    const timed = (pipeline: Pipeline<unknown>): string[] => {
      const lines = listing(fused(pipeline, { timed: true }));
      const from = lines.findIndex(line => line.includes('function sample('));
      const to = lines.findIndex((line, at) => at > from && line.startsWith('- } catch'));
      const own = lines.slice(from, to).filter(line => line.startsWith('1 '));
      return own.flatMap(line => /for \(|sampler\.\w+|after1Timed/.exec(line)?.[0] ?? []);
    };
    const [before, within, sized] = ['sampler.tick', 'sampler.tickAgain', 'sampler.sizing'];
    const listed = range(9).flatMap(x => [x]);
    expect(timed(listed)).toEqual([before, 'for (', within, sized, within]);
    const handed = range(9).apply(pairs);
    expect(timed(handed)).toEqual([before, 'for (', within, sized, 'after1Timed', 'sampler.now', within]);
  });
});

describe('a stack trace leads back to the operator', () => {
  const boom = (x: number): number => {
    if (x === 2) throw new Error('boom');
    return x;
  };
  const deep = (x: number): number =>
    [x].map(y => [y].map(z => JSON.parse(JSON.stringify(boom(z))) as number)[0] ?? 0)[0] ?? 0;

  it.each([0, 1, 2].flatMap(at => [boom, deep].map(call => [at, call.name, call] as const)))(
    'of three maps, map %i, function %s',
    async (at, _, call) => {
      const names = ['first', 'second', 'third'] as const;
      const pipeline = names.reduce<Pipeline<number>>(
        (upstream, name, position) => upstream.map(position === at ? x => call(x) : x => x, { name }),
        range(5),
      );
      const run = define({ url: import.meta.url }, { spec: {}, build: () => pipeline }).run({ parallelism: 0 });
      await expect(run.drain()).rejects.toThrow(`'${names[at]}' threw on element 2: Error: boom`);
    },
  );
});
