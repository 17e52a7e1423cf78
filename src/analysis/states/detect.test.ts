import { describe, expect, test } from 'vitest';
import { StageTopology } from '../../graph/stage-topology.ts';
import { share } from '../../model/units.ts';
import { graphOf, operator } from '../records.fixture.ts';
import { narrowPlaces, placeId } from './detect.ts';
import type { StateWindow } from './window.ts';

/** OCR job of the dag-bottlenecks paper, without its writers. */
const topology = new StageTopology(
  graphOf(
    [operator('reader', []), operator('ocr', ['reader']), operator('pdf', ['ocr']), operator('index', ['ocr'])],
    false,
  ),
);

interface Seen {
  readonly cpu?: number;
  readonly blocked?: number;
  readonly busiest?: number;
}

function windowOf(vertices: Readonly<Record<string, Seen>>, edges: Readonly<Record<string, number>> = {}): StateWindow {
  return {
    from: 0,
    to: 1,
    vertices: topology.vertices.map(vertex => {
      const { cpu = 0, blocked = 0, busiest } = vertices[vertex.id] ?? {};
      return {
        vertex,
        lanes: 2,
        states: {
          running: share(cpu),
          runnable: share(0),
          blocked: share(blocked),
          starved: share(1 - cpu - blocked),
          backpressured: share(0),
        },
        busy: cpu + blocked,
        busiest: busiest ?? cpu + blocked,
        processing: cpu,
      };
    }),
    edges: topology.edges.map(edge => ({ edge, saturated: edges[edge.id] ?? 0 })),
  };
}

const found = (window: StateWindow, before: readonly string[] = []): string[] =>
  narrowPlaces(topology, window, new Set(before)).map(placeId);

describe('narrow places in one window', () => {
  test('of two busy vertices in a row the one downstream holds up the other', () => {
    expect(found(windowOf({ ocr: { cpu: 0.99 }, pdf: { cpu: 0.95 } }))).toEqual(['vertex:pdf']);
  });

  test('a steady place is found in every window: it does not hide itself', () => {
    const window = windowOf({ ocr: { cpu: 0.95 } });
    const first = found(window);
    expect(found(window, first)).toEqual(first);
  });

  test('a place that was found is kept until it is clearly over', () => {
    const window = windowOf({ ocr: { cpu: 0.85 } });
    expect(found(window)).toEqual([]);
    expect(found(window, ['vertex:ocr'])).toEqual(['vertex:ocr']);
    expect(found(windowOf({ ocr: { cpu: 0.75 } }), ['vertex:ocr'])).toEqual([]);
  });

  test('time asleep outside counts as busy, and is not called CPU', () => {
    const [place] = narrowPlaces(topology, windowOf({ reader: { cpu: 0.05, blocked: 0.9 } }), new Set());
    expect(place).toMatchObject({ type: 'vertex', limit: 'blocked' });
  });

  test('one full lane among idle ones is a matter of balance', () => {
    const [place] = narrowPlaces(topology, windowOf({ ocr: { cpu: 0.5, busiest: 0.98 } }), new Set());
    expect(place).toMatchObject({ type: 'vertex', limit: 'skew', share: 0.98 });
  });

  test('a full channel before a busy vertex is its victim', () => {
    expect(found(windowOf({ ocr: { cpu: 0.95 } }, { 'reader → ocr': 1 }))).toEqual(['vertex:ocr']);
  });

  test('a full channel nobody downstream explains is the narrow place', () => {
    expect(found(windowOf({ ocr: { cpu: 0.8 } }, { 'reader → ocr': 1 }))).toEqual(['channel:reader → ocr']);
  });

  test('of two full channels in a row the one downstream is it', () => {
    expect(found(windowOf({}, { 'reader → ocr': 1, 'ocr → pdf': 1 }))).toEqual(['channel:ocr → pdf']);
  });

  test('a busy vertex in one branch does not hide a full channel in the other', () => {
    expect(found(windowOf({ pdf: { cpu: 0.95 } }, { 'ocr → index': 1 }))).toEqual([
      'vertex:pdf',
      'channel:ocr → index',
    ]);
  });
});
