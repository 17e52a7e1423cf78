import { entryOf } from '../../math/groups.ts';
import { GrowingColumn } from '../../model/growing-column.ts';
import { RECORD_KIND } from '../../model/record.ts';
import type { LaneInfo, RecordBlock } from '../../model/span.ts';
import { binsOf, coarserBins, type LevelTiles } from './bins.ts';
import { byDepth } from './depths.ts';
import { type SpanColumns, sortedSpans } from './sorted-spans.ts';
import { TILE_BINS, type Tile, tileNs } from './tile.ts';

/**
 * Spans of the longest series for each bin of level 1: below that, tiles have the spans themselves. With one, no pixel of any view takes more than
 * a few entries or spans.
 */
const SPANS_PER_BIN = 1;
/** The same for the finest level that is kept. Those below are made from the spans when a tile is asked for: in memory they would take several times what the spans take. */
const SPANS_PER_KEPT_BIN = 16;
const MOST_KEPT_BINS = 2 ** 17;

/** Spans of a lane at one depth, with their levels of detail. */
export interface PyramidSeries {
  readonly key: string;
  readonly depth: number;
  readonly spans: SpanColumns;
  /** Of levels that are kept, finest first. */
  readonly levels: readonly LevelTiles[];
}

export interface PyramidLane {
  readonly lane: LaneInfo;
  readonly series: readonly PyramidSeries[];
}

/**
 * Spans of a run at every level of detail, in typed arrays: 20 bytes a span, and for the levels 16 bytes for each subject in each bin,
 * of which all levels together have at most twice as many as the finest.
 */
export class Pyramid {
  readonly lanes: readonly PyramidLane[];
  readonly subjects: readonly string[];
  /** End of the last span. */
  readonly endNs: number;
  readonly binNs: number;
  readonly coarsest: number;
  readonly spans: number;
  /** Spans beyond the depths that are kept. */
  readonly leftOut: number;
  readonly #series: ReadonlyMap<string, PyramidSeries>;
  /** Finest level that is kept. */
  readonly #kept: number;

  constructor(lanes: readonly { readonly lane: LaneInfo; readonly spans: SpanColumns }[], subjects: readonly string[]) {
    const deep = lanes.map(({ lane, spans }) => ({ lane, ...byDepth(sortedSpans(spans)) }));
    this.subjects = subjects;
    this.leftOut = deep.reduce((sum, { leftOut }) => sum + leftOut, 0);
    const all = deep.flatMap(({ depths }) => depths);
    this.spans = all.reduce((sum, { start }) => sum + start.length, 0);
    this.endNs = all.reduce((end, each) => Math.max(end, (each.start.at(-1) ?? 0) + (each.duration.at(-1) ?? 0)), 0);
    const most = all.reduce((length, { start }) => Math.max(length, start.length), 0);
    this.binNs = binWidth(this.endNs, most / SPANS_PER_BIN);
    const keptNs = binWidth(this.endNs, Math.min(MOST_KEPT_BINS, most / SPANS_PER_KEPT_BIN));
    this.#kept = 1 + Math.log2(keptNs / this.binNs);
    let coarsest = this.#kept;
    while (tileNs(this.binNs, coarsest) <= this.endNs) coarsest++;
    this.coarsest = coarsest;
    this.lanes = deep.map(({ lane, depths }) => ({
      lane,
      series: depths.map((spans, depth) => ({
        key: `${lane.index}.${depth}`,
        depth,
        spans,
        levels: levelsOf(spans, keptNs, coarsest - this.#kept + 1),
      })),
    }));
    this.#series = new Map(this.lanes.flatMap(({ series }) => series.map(each => [each.key, each])));
  }

  /** Undefined where nothing happened. */
  tile(key: string, level: number, index: number): Tile | undefined {
    const series = this.#series.get(key);
    if (series === undefined) return undefined;
    if (level >= this.#kept) return series.levels[level - this.#kept]?.get(index);
    const width = tileNs(this.binNs, level);
    const spans = spansBetween(series.spans, index * width, (index + 1) * width);
    if (spans === undefined) return undefined;
    if (level === 0) return { type: 'spans', origin: 0, ...spans };
    return binsOf(spans, width / TILE_BINS, index * width, (index + 1) * width).get(index);
  }
}

/** A power of two, so that bins of every level begin at whole ns. */
function binWidth(endNs: number, wanted: number): number {
  const bins = Math.max(TILE_BINS, wanted);
  return 2 ** Math.max(0, Math.ceil(Math.log2(Math.max(1, endNs) / bins)));
}

/** So many levels, from bins of this width on. */
function levelsOf(spans: SpanColumns, binNs: number, count: number): LevelTiles[] {
  const levels = [binsOf(spans, binNs)];
  while (levels.length < count) levels.push(coarserBins(levels.at(-1) ?? new Map()));
  return levels;
}

/** Those that touch the time from `from` to `to`. */
function spansBetween({ start, duration, subject }: SpanColumns, from: number, to: number): SpanColumns | undefined {
  let first = firstAtLeast(start, from);
  const before = first - 1;
  if (before >= 0 && (start[before] ?? 0) + (duration[before] ?? 0) > from) first = before;
  const last = firstAtLeast(start, to);
  if (last <= first) return undefined;
  return {
    start: start.subarray(first, last),
    duration: duration.subarray(first, last),
    subject: subject.subarray(first, last),
  };
}

/** Place of the first value of an ascending column that is not less. */
export function firstAtLeast(ascending: Float64Array, value: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Spans of a lane as they come. */
const growingSpans = () => ({
  start: new GrowingColumn(Float64Array),
  duration: new GrowingColumn(Float64Array),
  subject: new GrowingColumn(Uint32Array),
});

/** Gathers the spans of a run; ask for the pyramid when all blocks were fed. */
export class PyramidFold {
  readonly #lanes = new Map<number, { readonly lane: LaneInfo; readonly spans: ReturnType<typeof growingSpans> }>();
  #subjects: readonly string[] = [];

  block(block: RecordBlock, subjects: readonly string[]): void {
    this.#subjects = subjects;
    const { lane, count, kind, subject, start, duration } = block;
    const { spans } = entryOf(this.#lanes, lane.index, () => ({ lane, spans: growingSpans() }));
    for (let row = 0; row < count; row++) {
      const whose = subject[row] ?? -1;
      if ((kind[row] !== RECORD_KIND.span && kind[row] !== RECORD_KIND.inner) || whose < 0) continue;
      // A clock that went backwards may put a span before the run.
      const from = Math.max(0, start[row] ?? 0);
      spans.start.push(from);
      spans.duration.push(Math.max(0, (start[row] ?? 0) + (duration[row] ?? 0) - from));
      spans.subject.push(whose);
    }
  }

  /** As it stands now; more may be fed afterwards. */
  result(): Pyramid {
    const lanes = [...this.#lanes.values()].sort((a, b) => a.lane.index - b.lane.index);
    return new Pyramid(
      lanes.flatMap(({ lane, spans: { start, duration, subject } }) => {
        const spans = {
          start: start.view(),
          duration: duration.view(),
          subject: subject.view(),
        };
        return spans.start.length === 0 ? [] : [{ lane, spans }];
      }),
      [...this.#subjects],
    );
  }
}
