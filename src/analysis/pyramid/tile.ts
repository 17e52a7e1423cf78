/**
 * Tiles: the spans of a run's lanes, level by level. Level 0 has the spans themselves. Level 1 has bins of `binNs`, each level above bins
 * twice as wide. A tile of level n ≥ 1 is `TILE_BINS` bins; one of level 0 is the spans that touch the time of a tile of level 1.
 * Tile `index` of a level begins at `index` times the width of its tiles, in ns since the run's start.
 *
 * A page gets them from a `TileSource` (`report/page`): out of its own file, or from a server at `tiles/SERIES/LEVEL/INDEX`, as `encodeTile` writes them.
 */
export const TILE_BINS = 512;

/** Width of the tiles of a level, ns. */
export const tileNs = (binNs: number, level: number): number => binNs * TILE_BINS * 2 ** Math.max(0, level - 1);

/** Numbers of a tile. Those that came over a wire have the narrowest type that holds all of them. */
export type TileColumn = Float64Array | Uint32Array | Uint16Array | Uint8Array;

/** Columns of equal length, sorted by start, which is counted from `origin` on, ns. */
export interface SpanTile {
  readonly type: 'spans';
  readonly origin: number;
  readonly start: TileColumn;
  readonly duration: TileColumn;
  readonly subject: TileColumn;
}

/** Entries of bin `n` are those from `first[n]` to `first[n + 1]`: a subject and its time in the bin. */
export interface BinTile {
  readonly type: 'bins';
  readonly first: TileColumn;
  readonly ns: TileColumn;
  readonly subject: TileColumn;
}

export type Tile = SpanTile | BinTile;
