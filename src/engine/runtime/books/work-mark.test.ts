import { describe, expect, it } from 'vitest';
import type { PlacedNode } from '../../compile/graph.ts';
import { bareNode } from '../../compile/node.ts';
import { stuckWords, stuckWork, type WatchedLane } from './stuck-work.ts';
import { sharedTotals } from './totals.ts';
import { WorkMark } from './work-mark.ts';

const SECOND = 1e9;

const placed = (id: string, call?: () => unknown): PlacedNode =>
  ({ id, node: { ...bareNode('map', [], {}), call }, operator: { id, kind: 'map' } }) as unknown as PlacedNode;

function laneOf(...nodes: PlacedNode[]): WatchedLane {
  const size = { operators: nodes.length, inputs: 1, outputs: 1 };
  const totals = sharedTotals(size);
  return { name: 'lane#0', nodes, totals, mark: new WorkMark() };
}

describe('work that does not end', () => {
  it('is told after five seconds, with the elements it is at', () => {
    const lane = laneOf(
      placed('batch'),
      placed('f', () => 0),
    );
    lane.mark.begin(2 * SECOND, 0, 40, 3);
    expect(stuckWork(lane, 6 * SECOND)).toBeUndefined();
    expect(stuckWork(lane, 8 * SECOND)).toEqual({
      lane: 'lane#0',
      operators: ['f'],
      element: 40,
      elements: 3,
      sinceNs: 2 * SECOND,
    });
    lane.mark.end();
    expect(stuckWork(lane, 8 * SECOND)).toBeUndefined();
  });

  it('is none where the lane waits for others', () => {
    const lane = laneOf(placed('f', () => 0));
    lane.totals.backpressured = SECOND;
    lane.mark.begin(2 * SECOND, SECOND, 40, 3);
    lane.totals.backpressured = 58 * SECOND;
    expect(stuckWork(lane, 60 * SECOND)).toBeUndefined();
  });

  it('is none where the work before took as long', () => {
    const lane = laneOf(placed('f', () => 0));
    lane.totals.chunks = 3;
    lane.totals.busy = 9 * SECOND;
    lane.mark.begin(10 * SECOND, 0, 3, 1);
    expect(stuckWork(lane, 35 * SECOND)).toBeUndefined();
    expect(stuckWork(lane, 45 * SECOND)).toBeDefined();
  });

  it('is the oldest call where functions are async and the thread is free to say so', () => {
    const lane = laneOf(
      placed('f', () => 0),
      placed('g', () => 0),
    );
    lane.mark.begin(2 * SECOND, 0, 40, 64);
    lane.mark.look(8 * SECOND, { at: 1, element: 51, since: 2.5 * SECOND });
    expect(stuckWork(lane, 8.1 * SECOND)).toMatchObject({ operators: ['g'], element: 51, sinceNs: 2.5 * SECOND });
    // It has not looked since: what keeps the thread busy is something else.
    expect(stuckWork(lane, 20 * SECOND)).toMatchObject({ operators: ['f', 'g'], element: 40, elements: 64 });
  });

  it('is put into words', () => {
    const work = { lane: 'l', operators: ['f'], sinceNs: 1.25 * SECOND };
    expect(stuckWords({ ...work, element: 3, elements: 1 })).toBe(
      "'f' has been at element 3 since 1.3 s after the start",
    );
    expect(stuckWords({ ...work, operators: ['f', 'g'], element: 3, elements: 4 })).toBe(
      "'f' or 'g' has been at one of the elements 3 to 6 since 1.3 s after the start",
    );
    expect(stuckWords(work)).toBe("'f' has been at work since 1.3 s after the start");
  });
});
