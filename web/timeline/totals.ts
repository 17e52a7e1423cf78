import type { TileSource, TimelineData } from '../../src/report/page/tiles.ts';
import { PixelWriter } from './pixels.ts';
import { levelBinNs, tilesIn } from './tile-choice.ts';
import type { Viewport } from './viewport.ts';

type Levels = Pick<TimelineData, 'binNs' | 'finest' | 'coarsest'>;

/** A part of a range, to be read at one level. */
export interface TotalsPiece extends Viewport {
  readonly level: number;
}

/**
 * A range as pieces that begin and end where bins of their level do, so that sums over them are exact: coarse bins inside, finer ones at both
 * ends, spans at the very ends. A few tiles of each level, however long the range. Where fine levels were left out, the ends are in proportion.
 */
export function totalsPieces(levels: Levels, { from, to }: Viewport): TotalsPiece[] {
  const pieces: TotalsPiece[] = [];
  let [left, right] = [from, to];
  for (let level = levels.finest; level < levels.coarsest && right > left; level++) {
    const above = levelBinNs(levels, level + 1);
    const [inner, outer] = [Math.ceil(left / above) * above, Math.floor(right / above) * above];
    if (inner >= outer) break;
    if (left < inner) pieces.push({ level, from: left, to: inner });
    if (outer < right) pieces.push({ level, from: outer, to: right });
    [left, right] = [inner, outer];
    if (level + 1 === levels.coarsest) pieces.push({ level: level + 1, from: left, to: right });
  }
  const covered = pieces.reduce((sum, piece) => sum + piece.to - piece.from, 0);
  if (covered < to - from) pieces.push({ level: restLevel(levels, pieces), from: left, to: right });
  return pieces;
}

const restLevel = ({ finest }: Levels, pieces: readonly TotalsPiece[]): number =>
  pieces.reduce((level, piece) => Math.max(level, piece.level + 1), finest);

/** Time of each subject in a range, ns: of all series that are given. */
export async function rangeTotals(
  levels: Levels,
  series: readonly string[],
  range: Viewport,
  tiles: TileSource,
): Promise<Map<number, number>> {
  const totals = new Map<number, number>();
  const writer = new PixelWriter();
  for (const piece of totalsPieces(levels, range)) {
    const indices = tilesIn(levels, piece.level, piece);
    const found = await Promise.all(indices.map(index => tiles.tiles(series, piece.level, index)));
    for (let at = 0; at < series.length; at++) {
      writer.begin(piece, 1);
      for (const [place, index] of indices.entries()) {
        const tile = found[place]?.[at];
        if (tile !== undefined) writer.add(tile, levels.binNs, piece.level, index);
      }
      for (const [subject, ns] of writer.totals()) totals.set(subject, (totals.get(subject) ?? 0) + ns);
    }
  }
  return totals;
}
