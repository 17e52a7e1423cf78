/**
 * Tiles: the spans of a run's lanes, level by level. Level 0 has the spans themselves. Level 1 has bins of `binNs`, each level above bins
 * twice as wide. A tile of level n ≥ 1 is `TILE_BINS` bins; one of level 0 is the spans that touch the time of a tile of level 1.
 * Tile `index` of a level begins at `index` times the width of its tiles, in ns since the run's start.
 *
 * A page gets them from a `TileSource`: out of its own file, or from a server at `tiles/SERIES/LEVEL/INDEX`, as `encodeTile` writes them.
 */
export const TILE_BINS = 512;

/** Spans of a lane at one depth: they do not overlap. */
export interface TimelineSeries {
  /** Letters, digits, `.` and `-`: part of an address. */
  readonly key: string;
  /** 0: outermost. */
  readonly depth: number;
  readonly spans: number;
}

export interface TimelineLane {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** The stage or loader it worked for, where there is one. */
  readonly group: string;
  readonly series: readonly TimelineSeries[];
}

export interface TimelineSubject {
  /** The subject's key in the run: `stage:decode`, `operator:resize`, `wait:loader`. */
  readonly key: string;
  readonly label: string;
  /** Operators it is about. */
  readonly operators: readonly string[];
}

export interface TimelineData {
  readonly durationNs: number;
  readonly spans: number;
  readonly lanes: readonly TimelineLane[];
  /** By the number that tiles have. */
  readonly subjects: readonly TimelineSubject[];
  /** Width of level 1's bins. */
  readonly binNs: number;
  /** Finest level there is: 0, or more where detail was left out for its size. */
  readonly finest: number;
  /** Coarsest level: one tile holds the whole run. */
  readonly coarsest: number;
  /** Arrows from the end of a batch's preparation to the beginning of its use. */
  readonly arrows: readonly TimelineArrow[];
}

/** Moments in ns, lanes by their place in the list. */
export interface TimelineArrow {
  readonly batch: number;
  readonly fromLane: number;
  readonly fromNs: number;
  readonly toLane: number;
  readonly toNs: number;
}

/** Columns of equal length, sorted by start. */
export interface SpanTile {
  readonly type: 'spans';
  readonly start: Float64Array;
  readonly duration: Float64Array;
  readonly subject: Uint32Array;
  readonly sequence: Uint32Array;
}

/** Entries of bin `n` are those from `first[n]` to `first[n + 1]`: a subject, its time in the bin, and its spans that begin there. */
export interface BinTile {
  readonly type: 'bins';
  readonly first: Uint32Array;
  readonly ns: Float64Array;
  readonly subject: Uint32Array;
  readonly count: Uint32Array;
}

export type Tile = SpanTile | BinTile;

export interface TileSource {
  /** Undefined where there is none: nothing happened there, or it was left out. */
  tile(series: string, level: number, index: number): Promise<Tile | undefined>;
}

/** Width of the tiles of a level, ns. */
export const tileNs = (binNs: number, level: number): number => binNs * TILE_BINS * 2 ** Math.max(0, level - 1);
