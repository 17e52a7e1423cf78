import { describe, expect, test } from 'vitest';
import { operator } from '../analysis/records.fixture.ts';
import { engineRules } from '../engine/compile/fusing.ts';
import type { Operator } from '../model/graph.ts';
import { neededNodes } from './needed.ts';
import { cutStages, type FusingRules } from './stages.ts';
import { topologyOf } from './topology.ts';

const CHAIN = [
  operator('read', [], { kind: 'lines', sequential: true }),
  operator('parse', ['read'], { parallelism: 2 }),
  operator('clean', ['parse'], { kind: 'filter' }),
  operator('count', ['clean'], { kind: 'window', sequential: true }),
];

const shown = (operators: readonly Operator[], rules: FusingRules): string[] =>
  cutStages(topologyOf(operators), rules).map(({ nodes, lanes }) => `${nodes.map(({ id }) => id).join('+')} ×${lanes}`);

describe('stages', () => {
  test('are cut by the rules of a runtime', () => {
    expect(shown(CHAIN, engineRules().fusing)).toEqual(['read ×1', 'parse+clean ×2', 'count ×1']);
    // As Flink chains operators: those with the same number of subtasks, whether they asked for it or not.
    const asked = ({ parallelism = 1 }: Operator): number => parallelism;
    const chaining: FusingRules = {
      lanesUnasked: 1,
      lanesAsked: asked,
      joins: (each, { lanes }) => asked(each) === lanes,
    };
    expect(shown(CHAIN, chaining)).toEqual(['read ×1', 'parse ×2', 'clean+count ×1']);
  });

  test('part where several read, and begin where several are read, whatever the rules', () => {
    const diamond = [
      operator('read', []),
      operator('left', ['read']),
      operator('right', ['read']),
      operator('both', ['left', 'right'], { kind: 'zip', sequential: true }),
    ];
    const one: FusingRules = { lanesUnasked: 1, lanesAsked: () => undefined, joins: () => true };
    expect(shown(diamond, one)).toEqual(['read ×1', 'left ×1', 'right ×1', 'both ×1']);
  });
});

test('passes are counted from repeats behind, up to a cache, with as many epochs as are asked for', () => {
  const operators = [
    operator('read', []),
    operator('kept', ['read'], { kind: 'cache' }),
    operator('crop', ['kept']),
    operator('again', ['crop'], { kind: 'repeat', settings: { times: 2 } }),
    operator('epochs', ['again'], { kind: 'repeat', settings: { times: 3 } }),
  ];
  const passes = (epochs?: number): number[] => {
    const topology = topologyOf(operators, epochs);
    return topology.nodes.map(node => topology.passes(node));
  };
  expect(passes()).toEqual([1, 6, 6, 3, 1]);
  expect(passes(10)).toEqual([1, 20, 20, 10, 1]);
});

test('what only satisfied operators would ask for is not needed', () => {
  const topology = topologyOf([
    operator('images', []),
    operator('labels', []),
    operator('decode', ['images']),
    operator('crop', ['decode']),
    operator('both', ['crop', 'labels'], { kind: 'zip' }),
  ]);
  const needed = [...neededNodes(topology, ({ id }) => id === 'decode')].map(({ id }) => id);
  expect(needed.sort()).toEqual(['both', 'crop', 'decode', 'labels']);
});
