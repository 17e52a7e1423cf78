import { TILE_BINS, tileNs } from '../../src/analysis/pyramid/tile.ts';
import type { TimelineData } from '../../src/report/page/tiles.ts';
import type { Viewport } from './viewport.ts';

type Levels = Pick<TimelineData, 'binNs' | 'finest' | 'coarsest'>;

/** Width of a level's bins, ns; of level 0, of which tiles are spans, that of level 1. */
export const levelBinNs = ({ binNs }: Pick<Levels, 'binNs'>, level: number): number => tileNs(binNs, level) / TILE_BINS;

/** The coarsest level whose bins are no wider than a pixel; where none is, the finest there is. */
export function levelFor(levels: Levels, { from, to }: Viewport, pixels: number): number {
  const perPixel = (to - from) / Math.max(1, pixels);
  let level = levels.coarsest;
  while (level > levels.finest && (level === 0 ? false : levelBinNs(levels, level) > perPixel)) level--;
  return level;
}

/** Tiles of a level that a view touches. */
export function tilesIn({ binNs }: Levels, level: number, { from, to }: Viewport): number[] {
  const width = tileNs(binNs, level);
  const first = Math.max(0, Math.floor(from / width));
  const last = Math.max(first, Math.ceil(to / width) - 1);
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
}
