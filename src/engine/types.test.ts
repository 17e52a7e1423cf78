import { describe, expect, expectTypeOf, it } from 'vitest';
import type { FileEntry } from '../io/input/file-entry.ts';
import type { Image } from '../io/media/image.ts';
import { pipeline } from './api/define.ts';
import { type Context, perWorker } from './contract/context.ts';
import { defineDecoder, defineOperator, defineSource } from './description/extension.ts';
import type { Pipeline } from './description/pipeline.ts';
import { files, readFile } from './sources/files.ts';
import { from } from './sources/iterable.ts';
import { jsonl, lines } from './sources/lines.ts';
import { range } from './sources/range.ts';
import { tar } from './sources/tar.ts';

interface Cat {
  readonly kind: 'cat';
  readonly lives: number;
}
interface Dog {
  readonly kind: 'dog';
}
type Animal = Cat | Dog;

describe('the compiler knows', () => {
  it('what sources give', () => {
    expectTypeOf(range(3)).toEqualTypeOf<Pipeline<number>>();
    expectTypeOf(lines('a')).toEqualTypeOf<Pipeline<string>>();
    expectTypeOf(files('a')).toEqualTypeOf<Pipeline<FileEntry>>();
    expectTypeOf(jsonl('a')).toEqualTypeOf<Pipeline<unknown>>();
    expectTypeOf(jsonl<Cat>('a')).toEqualTypeOf<Pipeline<Cat>>();
    expectTypeOf(from(['a'])).toEqualTypeOf<Pipeline<string>>();
    expectTypeOf(from(new Set([1]))).toEqualTypeOf<Pipeline<number>>();
    expectTypeOf(
      from(async function* () {
        yield true as boolean;
      }),
    ).toEqualTypeOf<Pipeline<boolean>>();
  });

  it('what operators make of it', () => {
    expectTypeOf(range(3).map(x => `${x}`)).toEqualTypeOf<Pipeline<string>>();
    expectTypeOf(range(3).map(async x => `${x}`)).toEqualTypeOf<Pipeline<string>>();
    expectTypeOf(files('a').map(readFile)).toEqualTypeOf<Pipeline<Uint8Array>>();
    expectTypeOf(range(3).batch(2)).toEqualTypeOf<Pipeline<number[]>>();
    expectTypeOf(range(3).batch(2).batch(2)).toEqualTypeOf<Pipeline<number[][]>>();
    expectTypeOf(range(3).flatMap(x => [`${x}`])).toEqualTypeOf<Pipeline<string>>();
    expectTypeOf(
      range(3).flatMap(function* (x) {
        yield { x };
      }),
    ).toEqualTypeOf<Pipeline<{ x: number }>>();
    expectTypeOf(lines('a').shuffle(3).repeat(2).take(3).skip(1).cache().prefetch(4)).toEqualTypeOf<Pipeline<string>>();
    expectTypeOf(range(3).forEach(async () => undefined)).toEqualTypeOf<Pipeline<never>>();
  });

  it('what comes from outside makes of it', () => {
    const ticks = defineSource({ kind: 'ticks', open: () => [1n] });
    const pairs = <T>() =>
      defineOperator({ kind: 'pairs', open: () => ({ element: (x: T) => [[x, x] as const], end: () => [] }) });
    const shout = defineOperator({ kind: 'shout', open: () => ({ element: (x: string) => [x.toUpperCase()] }) });
    const length = defineDecoder({ kind: 'length', magic: [1], decode: bytes => bytes.length });
    const text = defineDecoder({ kind: 'text', extensions: ['.txt'], decode: async () => 'text' });
    expectTypeOf(from(ticks)).toEqualTypeOf<Pipeline<bigint>>();
    expectTypeOf(from(ticks).apply(pairs<bigint>())).toEqualTypeOf<Pipeline<readonly [bigint, bigint]>>();
    expectTypeOf(lines('a').apply(shout)).toEqualTypeOf<Pipeline<string>>();
    // @ts-expect-error -- it takes text
    expect(() => range(3).apply(shout)).not.toThrow();
    expectTypeOf(files('a').map(readFile).decode()).toEqualTypeOf<Pipeline<Image>>();
    expectTypeOf(tar('a').decode([length, text])).toEqualTypeOf<Pipeline<number | string>>();
    expectTypeOf(range(3).writeJsonl('a')).toEqualTypeOf<Pipeline<never>>();
    // @ts-expect-error -- a line is text
    expect(() => range(3).writeLines('a')).not.toThrow();
    const cats = from<Cat>([]);
    expectTypeOf(cats.writeCsv('a', { columns: ['lives'] })).toEqualTypeOf<Pipeline<never>>();
    expectTypeOf(cats.writeParquet('a', { columns: { lives: 'int32' } })).toEqualTypeOf<Pipeline<never>>();
    // @ts-expect-error -- cats have no such column
    cats.writeCsv('a', { columns: ['legs'] });
    // @ts-expect-error -- nor this one
    cats.writeParquet('a', { columns: { legs: 'int32' } });
  });

  it('what a filter leaves', () => {
    const animals = from<Animal>([]);
    expectTypeOf(animals.filter(animal => animal.kind === 'cat')).toEqualTypeOf<Pipeline<Cat>>();
    expectTypeOf(animals.filter((animal): animal is Dog => animal.kind === 'dog')).toEqualTypeOf<Pipeline<Dog>>();
    expectTypeOf(animals.filter((_, context) => context.rng.chance(0.5))).toEqualTypeOf<Pipeline<Animal>>();
  });

  it('what functions are given', () => {
    range(3).map((x, context) => expectTypeOf(context).toEqualTypeOf<Context>() && expectTypeOf(x).toBeNumber());
    const own = perWorker(async () => ({ call: (x: number) => `${x}` }));
    expectTypeOf(range(3).map(own)).toEqualTypeOf<Pipeline<string>>();
    // @ts-expect-error -- a string is not a number
    range(3).map((x: string) => x);
    // @ts-expect-error -- a filter does not wait
    range(3).filter(async () => true);
  });

  it('that a set-up gives { call }, and not a function or what it calls', () => {
    const own = range(3).map(perWorker(() => ({ call: x => x.toFixed(), close: () => undefined })));
    expectTypeOf(own).toEqualTypeOf<Pipeline<string>>();
    expectTypeOf(range(3).filter(perWorker(async () => ({ call: (x: number) => x > 1 })))).toEqualTypeOf<
      Pipeline<number>
    >();
    expectTypeOf(range(3).flatMap(perWorker(() => ({ call: x => [`${x}`] })))).toEqualTypeOf<Pipeline<string>>();
    const load = async () => (x: number) => x + 1;
    // @ts-expect-error -- a function is not { call }, although it has a call of its own
    range(3).map(perWorker(() => (x: number) => x + 1));
    // @ts-expect-error -- nor is one that comes later
    range(3).map(perWorker(load));
    // @ts-expect-error -- call is no function
    perWorker(() => ({ call: 42 }));
    // @ts-expect-error -- it returns nothing
    perWorker(() => {});
    // @ts-expect-error -- close is no function
    perWorker(() => ({ call: (x: number) => x, close: true }));
    // @ts-expect-error -- what it was set up for is text
    range(3).map(perWorker(() => ({ call: (x: string) => x })));
    // @ts-expect-error -- perWorker itself is not the function
    range(3).map(perWorker);
    // @ts-expect-error -- the result of the set-up, instead of the set-up
    expect(() => perWorker({ call: (x: number) => x })).toThrow('perWorker() needs a function, got object');
    // @ts-expect-error -- the same, later
    expect(() => perWorker(load())).toThrow(expect.objectContaining({ code: 'VENTURI_BAD_OPTION' }));
  });

  it('the types of parameters, from their declaration', () => {
    const definition = pipeline(
      import.meta,
      { folder: String, size: 224, fast: false, threads: Number, label: 'a' },
      params => {
        expectTypeOf(params).toEqualTypeOf<{
          folder: string;
          size: number;
          fast: boolean;
          threads: number;
          label: string;
        }>();
        return files(params.folder).map(file => file.size > params.size);
      },
    );
    type Given = NonNullable<NonNullable<Parameters<typeof definition.run>[0]>['params']>;
    expectTypeOf<Given>().toEqualTypeOf<
      Partial<{ folder: string; size: number; fast: boolean; threads: number; label: string }>
    >();
    type Element = ReturnType<typeof definition.run> extends AsyncIterable<infer T> ? T : never;
    expectTypeOf<Element>().toBeBoolean();
  });
});
