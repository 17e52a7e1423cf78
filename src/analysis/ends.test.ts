import { describe, expect, test } from 'vitest';
import type { Graph } from '../model/graph.ts';
import { consumedEnd, endsOf } from './ends.ts';
import { graphOf, operator } from './records.fixture.ts';

const source = operator('source', [], { kind: 'range' });
const sink = (id: string, input = 'source') => operator(id, [input], { kind: 'upload', sink: true });
const none = (): number => 0;
/** Each end as `operator` or `→ operator`, for what enters it. */
const endsIn = (graph: Graph, named?: string, out: (id: string) => number = none): string[] =>
  endsOf(graph, out, named).map(({ operator: id, counted }) => (counted === 'elementsIn' ? `→ ${id}` : id));

describe('elements come to their end', () => {
  test('where the consumer takes them', () => {
    const join = operator('join', ['left', 'right'], { kind: 'zip' });
    const graph = graphOf([source, operator('left', ['source']), operator('right', ['source']), join]);
    expect(endsIn(graph)).toEqual(['join']);
    expect(consumedEnd(graph, none)?.id).toBe('join');
  });

  test('in a sink, and nobody takes what is behind it', () => {
    const graph = graphOf([source, sink('write'), operator('epochs', ['write'], { kind: 'repeat' })]);
    expect(endsIn(graph)).toEqual(['→ write']);
    expect(consumedEnd(graph, none)).toBeUndefined();
  });

  test('where they are gathered until the end of a pass, since nothing leaves before', () => {
    const groups = operator('groups', ['source'], { kind: 'groupBy', blocking: true, elements: 'fewer' });
    expect(endsIn(graphOf([source, groups, operator('shown', ['groups'])]))).toEqual(['→ groups']);
    expect(endsIn(graphOf([source, groups, sink('write', 'groups')]))).toEqual(['→ groups']);
    expect(endsIn(graphOf([source, groups, operator('shown', ['groups'])]), 'shown')).toEqual(['shown']);
    const shuffle = operator('shuffle', ['source'], { kind: 'shuffle', blocking: true, elements: 'same' });
    expect(endsIn(graphOf([source, shuffle]))).toEqual(['shuffle']);
  });

  test('in several sinks that are merged', () => {
    const both = operator('both', ['pdf', 'index'], { kind: 'merge' });
    const graph = graphOf([source, sink('pdf'), sink('index'), both, operator('epochs', ['both'], { kind: 'repeat' })]);
    expect(endsIn(graph)).toEqual(['→ pdf', '→ index']);
    expect(consumedEnd(graph, none)).toBeUndefined();
  });

  test('in a sink and at the consumer, where both are merged, whatever has come so far', () => {
    const graph = graphOf([source, sink('log'), operator('all', ['source', 'log'], { kind: 'merge' })]);
    expect(endsIn(graph)).toEqual(['all', '→ log']);
    expect(endsIn(graph, undefined, id => (id === 'log' ? 9 : 0))).toEqual(['all', '→ log']);
  });

  test('at the one operator that is named, by its id or its label', () => {
    const graph = graphOf([source, sink('pdf'), { ...sink('a/b'), label: 'index' }], false);
    expect(endsIn(graph, 'source')).toEqual(['source']);
    expect(endsIn(graph, 'index')).toEqual(['→ a/b']);
  });

  test('at the busiest of several ends that are no sinks', () => {
    const graph = graphOf([source, operator('pdf', ['source']), operator('index', ['source'])], false);
    expect(endsIn(graph, undefined, id => (id === 'index' ? 9 : 5))).toEqual(['index']);
  });

  test.each(['forEach', 'writeLines', 'writeJsonl'])(
    'in a %s, also where the recording does not say that it is a sink',
    kind => {
      expect(endsIn(graphOf([source, operator('end', ['source'], { kind })]))).toEqual(['→ end']);
    },
  );
});
