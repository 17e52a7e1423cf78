import { describe, expect, test } from 'vitest';
import type { TimelineArrow } from '../../src/report/page/tiles.ts';
import { drawnArrows } from './arrows.ts';
import type { TimelineRow } from './rows.ts';

const rows: TimelineRow[] = [
  { lane: 0, series: '0.0', y: 0, height: 22, name: 'consumer' },
  { lane: 0, series: '0.1', y: 23, height: 14, name: undefined },
  { lane: 1, series: '1.0', y: 50, height: 22, name: 'worker' },
];
const arrow = (batch: number, fromNs: number, toNs: number, waitNs = 0): TimelineArrow => ({
  ...{ batch, fromLane: 1, fromNs, toLane: 0, toNs, waitNs },
});
const view = { from: 100, to: 200 };

describe('arrows', () => {
  test('go from the edge of one lane to the edge of the other, at their moments', () => {
    expect(drawnArrows([arrow(1, 110, 150)], rows, view, 1000, undefined)).toEqual([
      { fromX: 100, fromY: 50, toX: 500, toY: 22, isChosen: false },
    ]);
    const down = { ...arrow(1, 110, 150), fromLane: 0, toLane: 1 };
    expect(drawnArrows([down], rows, view, 1000, undefined)).toMatchObject([{ fromY: 22, toY: 50 }]);
  });

  test('are left out where nothing of them is in view, or one of their lanes is not shown', () => {
    const arrows = [arrow(1, 0, 99), arrow(2, 201, 300), { ...arrow(3, 110, 150), toLane: 7 }];
    expect(drawnArrows(arrows, rows, view, 1000, undefined)).toEqual([]);
    expect(drawnArrows([arrow(4, 0, 300)], rows, view, 1000, undefined)).toHaveLength(1);
  });

  test('of very many, those that lie in the selection come first, then those that were waited for longest', () => {
    const many = Array.from({ length: 50 }, (_, at) => arrow(at, 100 + at, 101 + at, at));
    const drawn = drawnArrows(many, rows, view, 100, { from: 105, to: 108 }, 5);
    const places = (isChosen: boolean): number[] =>
      drawn.filter(arrow => arrow.isChosen === isChosen).map(({ fromX }) => Math.round(fromX));
    expect(places(true)).toEqual([7, 6, 5]);
    expect(places(false)).toEqual([49, 48]);
  });
});
