import { describe, expect, test } from 'vitest';
import { graphOf, operator } from '../analysis/records.fixture.ts';
import { StageTopology } from './stage-topology.ts';

const diamond = graphOf([
  operator('join', ['left', 'right'], { kind: 'zip' }),
  operator('source', []),
  operator('left', ['source']),
  operator('right', ['source']),
]);

const idsOf = (topology: StageTopology): string[] => topology.vertices.map(({ id }) => id);

describe('a graph as its lanes see it', () => {
  test('upstream comes before downstream, however the operators are listed', () => {
    const ids = idsOf(new StageTopology(diamond));
    expect(ids.indexOf('source')).toBeLessThan(ids.indexOf('left'));
    expect(ids.indexOf('right')).toBeLessThan(ids.indexOf('join'));
    expect(ids.at(-1)).toBe('consumer');
  });

  test('downstream is strict, and branches are not downstream of each other', () => {
    const topology = new StageTopology(diamond);
    const find = (id: string) => {
      const vertex = topology.vertices.find(each => each.id === id);
      if (vertex === undefined) throw new Error(id);
      return vertex;
    };
    expect(topology.isDownstream(find('join'), find('source'))).toBe(true);
    expect(topology.isDownstream(find('source'), find('join'))).toBe(false);
    expect(topology.isDownstream(find('left'), find('left'))).toBe(false);
    expect(topology.isDownstream(find('left'), find('right'))).toBe(false);
  });

  test('operators of a stage are one vertex, and a channel named after operators joins stages', () => {
    const graph = {
      ...graphOf([operator('files', []), operator('read', ['files']), operator('decode', ['read'])], false),
      stages: [
        { id: 'in', operators: ['files', 'read'], parallelism: 1 },
        { id: 'work', operators: ['decode'], parallelism: 2 },
      ],
      channels: [{ id: 'c', from: 'read', to: 'decode', slots: 4, capacity: 1 }],
    };
    const topology = new StageTopology(graph);
    expect(idsOf(topology)).toEqual(['in', 'work']);
    expect(topology.edges.map(({ from, to, channels }) => [from.id, to.id, channels.length])).toEqual([
      ['in', 'work', 1],
    ]);
    expect(topology.vertexOf('read')?.id).toBe('in');
  });
});
