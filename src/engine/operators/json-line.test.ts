import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { define } from '../api/define.ts';
import { failureOf } from '../fixtures/outcome.fixture.ts';
import { ScratchFolder } from '../fixtures/scratch-folder.fixture.ts';
import { from } from '../sources/iterable.ts';

const folder = new ScratchFolder();
afterAll(() => folder.remove());

function write(elements: readonly unknown[], name: string) {
  const pipeline = from(elements).writeJsonl(join(folder.path, name));
  return define({ url: import.meta.url }, { spec: {}, build: () => pipeline })
    .run({ parallelism: 0 })
    .drain();
}

describe('an element of which JSON would lose something', () => {
  it.each([
    ['a Map', { a: { m: new Map([[1, 2]]) } }, "'a.m' is a Map, of which JSON keeps nothing"],
    ['a Set in a list', { s: [1, new Set([1])] }, "'s[1]' is a Set, of which JSON keeps nothing"],
    ['a Map itself', new Map([[1, 2]]), 'the element is a Map'],
    ['an Error', { e: new Error('lost') }, "'e' is an Error, of which JSON keeps nothing"],
    ['a promise', { p: Promise.resolve(1) }, "'p' is a promise"],
    ['a bigint', { rows: [{ id: 1n }] }, "'rows[0].id' is a bigint, which JSON does not know"],
    ['a function', () => 1, 'function has no form in JSON'],
  ])('is refused by its name: %s', async (name, element, message) => {
    const error = await failureOf(write([{ fine: {} }, element], name));
    expect(error.code).toBe('VENTURI_USER_FUNCTION');
    expect(error.message).toContain(`writeJsonl' threw on element 1: TypeError: ${message}`);
  });

  it('is written where it says itself how', async () => {
    const counts = Object.assign(new Map([['a', 1]]), { toJSON: () => ({ a: 1 }) });
    const { warnings } = await write([{ counts, empty: {}, none: null, when: new Date(0) }], 'own');
    expect(readFileSync(join(folder.path, 'own'), 'utf8')).toBe(
      '{"counts":{"a":1},"empty":{},"none":null,"when":"1970-01-01T00:00:00.000Z"}\n',
    );
    expect(warnings).toEqual([]);
  });

  it('has null for numbers that JSON does not know, which is told once', async () => {
    const { warnings } = await write([{ x: null }, { x: [1, Number.NaN] }, { x: Number.POSITIVE_INFINITY }], 'numbers');
    expect(readFileSync(join(folder.path, 'numbers'), 'utf8')).toBe('{"x":null}\n{"x":[1,null]}\n{"x":null}\n');
    expect(warnings).toEqual([expect.stringMatching(/^writeJsonl wrote null .* 'x\[1\]' was NaN\.$/)]);
  });
});
