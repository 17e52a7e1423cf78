import { describe, expect, it } from 'vitest';
import type { Pipeline } from '../description/pipeline.ts';
import { from } from '../sources/iterable.ts';
import { range } from '../sources/range.ts';
import { applySettings, findOperator, fingerprint, placeNodes, structure } from './graph.ts';

const double = (x: number): number => x * 2;
const ids = (pipeline: Pipeline<unknown>): string[] => placeNodes(pipeline.node).map(({ id }) => id);

describe('ids', () => {
  it('are names, or paths from the last name', () => {
    const pipeline = range(3).map(double).filter(Boolean).map(double, { name: 'decode' }).batch(2).map(String);
    expect(ids(pipeline)).toEqual([
      'range',
      'range/map',
      'range/map/filter',
      'decode',
      'decode/batch',
      'decode/batch/map',
    ]);
  });

  it('do not depend on what follows, nor on what stands before a name', () => {
    const tail = (pipeline: Pipeline<number>) => pipeline.map(double, { name: 'a' }).batch(2).batch(2);
    expect(ids(tail(range(3)))).toEqual(['range', 'a', 'a/batch', 'a/batch/batch']);
    expect(ids(tail(range(3).skip(1))).slice(2)).toEqual(['a', 'a/batch', 'a/batch/batch']);
  });

  it('are unique', () => {
    const twice = range(3).map(double, { name: 'a' }).filter(Boolean, { name: 'a' });
    expect(() => placeNodes(twice.node)).toThrow("two operators are called 'a'");
    expect(() => placeNodes(range(3).map(double, { name: 'range' }).node)).toThrow("called 'range'");
  });

  it('come with a label and plain settings', () => {
    const [source, map, batch] = placeNodes(range(3).map(double, { parallelism: 2 }).batch(2).node);
    expect(source?.operator).toMatchObject({ label: 'range', inputs: [], sequential: true });
    expect(map?.operator).toMatchObject({ label: 'double', inputs: ['range'], sequential: false, parallelism: 2 });
    expect(batch?.operator).toMatchObject({ label: 'batch', settings: { size: 2, dropRemainder: false } });
  });
});

describe('a reference', () => {
  const nodes = placeNodes(range(3).map(double).batch(2).map(String, { name: 'text' }).batch(3).node);

  it.each([
    ['range', 'range'],
    ['double', 'range/map'],
    ['map', 'range/map'],
    ['map/batch', 'range/map/batch'],
    ['text', 'text'],
    ['text/batch', 'text/batch'],
  ])('%s is %s', (reference, id) => {
    expect(findOperator(nodes, reference).id).toBe(id);
  });

  it('must be known', () => {
    expect(() => findOperator(nodes, 'decode')).toThrow("no operator 'decode'");
  });

  it('must not be ambiguous', () => {
    expect(() => findOperator(nodes, 'batch')).toThrow("'batch' could be any of 'range/map/batch', 'text/batch'");
  });
});

describe('settings', () => {
  const nodes = placeNodes(range(3).map(double, { parallelism: 2 }).batch(2).node);

  it('replace those of the operator, one by one', () => {
    const set = { double: { concurrency: 3 }, 'range/map': { parallelism: 4 } };
    expect(applySettings(nodes, set)[1]).toMatchObject({
      node: { parallelism: 4, concurrency: 3 },
      operator: { parallelism: 4 },
    });
    expect(nodes[1]?.node.parallelism).toBe(2);
  });

  it.each([
    [{ batch: { parallelism: 2 } }, "'range/map/batch' sees all elements in order"],
    [{ double: { parallelism: 0 } }, "set 'range/map': parallelism is 0"],
    [{ double: { parallelism: Number.NaN } }, 'parallelism is NaN'],
    [{ double: { concurrency: 1.5 } }, 'concurrency is 1.5'],
  ])('%o are refused', (set, message) => {
    expect(() => applySettings(nodes, set)).toThrow(message);
  });
});

describe('the fingerprint', () => {
  const of = (pipeline: Pipeline<unknown>): string => fingerprint(placeNodes(pipeline.node));
  const base = of(range(3).map(double).batch(2));

  it('is the same for the same graph, wherever it is written and however it is spread', () => {
    expect(of(range(3).map(double).batch(2))).toBe(base);
    expect(of(range(3).map(double, { parallelism: 3 }).batch(2))).toBe(base);
  });

  it.each([
    ['another setting', () => range(3).map(double).batch(3)],
    ['another source', () => from([0, 1, 2]).map(double).batch(2)],
    ['another name', () => range(3).map(double, { name: 'a' }).batch(2)],
    [
      'another function',
      () =>
        range(3)
          .map(x => x * 3)
          .batch(2),
    ],
    ['one more operator', () => range(3).map(double).batch(2).skip(0)],
  ])('differs for %s', (_, build) => {
    expect(of(build())).not.toBe(base);
  });

  it('without the functions’ text is the structure', () => {
    const structureOf = (pipeline: Pipeline<unknown>): string => structure(placeNodes(pipeline.node));
    expect(
      structureOf(
        range(3)
          .map(x => x * 3)
          .batch(2),
      ),
    ).toBe(structureOf(range(3).map(double).batch(2)));
    expect(structureOf(range(3).map(double).batch(3))).not.toBe(structureOf(range(3).map(double).batch(2)));
  });
});
