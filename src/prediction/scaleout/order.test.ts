import { describe, expect, it } from 'vitest';
import { compileSteps } from './compile.ts';
import { clusterOf, STEP_SETTINGS } from './defaults.ts';
import { layeredModel } from './model.fixture.ts';
import { ranksOf, ticPriorities } from './order.ts';
import { parameterBytes, serversOf } from './partition.ts';
import { simulate } from './simulate.ts';
import { DOWNLINK, SERVER, type StepGraph, WORKER } from './step.ts';

/** TicTac's figure 1: two transfers of which one lets an op begin, and the other only together with it. */
const twoTransfers: StepGraph = {
  names: ['b', 'a', 'c', 'first', 'second', 'third'],
  resources: [DOWNLINK, DOWNLINK, DOWNLINK, WORKER, WORKER, WORKER],
  bytes: [1, 1, 1, 0, 0, 0],
  parameters: [0, 1, 2, -1, -1, -1],
  recordedServers: [0, 0, 0],
  // a → first → second ← b; second → third ← c
  offsets: [0, 1, 2, 3, 4, 5, 5],
  dependents: [4, 3, 5, 4, 5],
};

const names = (graph: StepGraph, order: Parameters<typeof ranksOf>[1], seed = 1): string[] => {
  const ranks = ranksOf(graph, order, seed);
  return graph.names
    .filter((_, op) => graph.resources[op] === DOWNLINK)
    .sort((a, b) => (ranks?.[graph.names.indexOf(a)] ?? 0) - (ranks?.[graph.names.indexOf(b)] ?? 0));
};

const [graph] = layeredModel({
  batchSize: 1,
  steps: 1,
  layers: [4, 3, 5, 1],
  forward: 1,
  backward: 1,
  update: 0,
  jitter: 0,
  seed: 1,
}).graphs as [StepGraph];

describe('the order of transfers', () => {
  it('by TIC: the fewest transfers that an op waits for, of the ops that wait for more than one', () => {
    expect([...ticPriorities(twoTransfers, [0, 1, 2])].slice(0, 3)).toEqual([2, 2, 3]);
    expect(names(twoTransfers, 'tic')).toEqual(['a', 'b', 'c']);
    expect(names(twoTransfers, 'reverse')).toEqual(['c', 'b', 'a']);
  });

  it('by layer: whose first computation has the fewest before it', () => {
    expect(names(twoTransfers, 'layer')).toEqual(['a', 'b', 'c']);
    expect(names(graph, 'layer')).toEqual(['down 0', 'down 1', 'down 2', 'down 3']);
  });

  it('at random: by the seed, and each once', () => {
    const orders = new Set([1, 2, 3, 4, 5, 6].map(seed => names(graph, 'random', seed).join()));
    expect(orders.size).toBeGreaterThan(1);
    expect(names(graph, 'random', 4)).toEqual(names(graph, 'random', 4));
    expect(names(graph, 'random', 4).sort()).toEqual(names(graph, 'layer'));
  });

  it('as given, the rest after that; a name that is none is refused', () => {
    expect(names(graph, ['down 2', 'down 0'])).toEqual(['down 2', 'down 0', 'down 1', 'down 3']);
    expect(() => names(graph, ['up 2'])).toThrow(expect.objectContaining({ code: 'VENTURI_BAD_OPTION' }));
  });
});

describe('parameters that a server reads one after the other', () => {
  // read a → read b, each then sent.
  const profile = {
    batchSize: 1,
    graphs: [
      {
        names: ['read a', 'read b', 'a', 'b'],
        resources: [SERVER, SERVER, DOWNLINK, DOWNLINK],
        bytes: [0, 0, 10, 10],
        parameters: [0, 1, 0, 1],
        recordedServers: [0, 0],
        offsets: [0, 2, 3, 3, 3],
        dependents: [1, 2, 3],
      },
    ],
    steps: [{ graph: 0, durations: [1, 1, 0, 0], starts: [0, 1, 1, 2], duration: 22 }],
  };

  it.each([
    ['recorded', ['a 1 to 11', 'b 11 to 21']],
    [
      ['b', 'a'],
      ['b 1 to 11', 'a 11 to 21'],
    ],
  ] as const)('are read in the order that is asked for: %j', (order, expected) => {
    const compiled = compileSteps(profile, { ...STEP_SETTINGS, partition: 'recorded', order });
    const sent: string[] = [];
    const cluster = clusterOf({ workers: 1, bandwidth: 1 });
    simulate(
      compiled,
      cluster,
      { steps: 1, warmUp: 0, seed: 1 },
      {
        chunk: (_worker, unit, row, start, end) => {
          if (unit === 0) sent.push(`${compiled.names[row]} ${start} to ${end}`);
        },
        step: () => undefined,
      },
    );
    expect(sent.slice(0, 2)).toEqual(expected);
  });
});

describe('the partition of parameters', () => {
  it('round-robin, by least bytes, by largest first, and as recorded', () => {
    expect([...parameterBytes(graph)]).toEqual([4, 3, 5, 1]);
    expect([...serversOf(graph, 'round-robin', 3)]).toEqual([0, 1, 2, 0]);
    expect([...serversOf(graph, 'greedy', 2)]).toEqual([0, 1, 1, 0]);
    expect([...serversOf(graph, 'balanced', 2)]).toEqual([1, 1, 0, 0]);
    expect([...serversOf({ ...graph, recordedServers: [1, 0, 1, 0] }, 'recorded', 2)]).toEqual([1, 0, 1, 0]);
  });
});

it('ops that wait for each other in a circle are refused', () => {
  const circle = { ...twoTransfers, dependents: [4, 3, 5, 4, 3] };
  expect(() => ranksOf(circle, 'tic', 1)).toThrow(expect.objectContaining({ code: 'VENTURI_STEPS_CYCLIC' }));
});
