import type { SpanColumns } from './sorted-spans.ts';
import { type BinTile, TILE_BINS } from './tile.ts';

/** Tiles of one level, by index; none where nothing happened. */
export type LevelTiles = ReadonlyMap<number, BinTile>;

/** Gathers entries bin by bin, in ascending order, into tiles. */
class TileWriter {
  readonly tiles = new Map<number, BinTile>();
  #index = -1;
  #first = new Uint32Array(TILE_BINS + 1);
  #filled = 0;
  readonly #ns: number[] = [];
  readonly #subject: number[] = [];

  /** Adds to the entry of a subject in a bin; no earlier bin than that of the call before. */
  add(bin: number, subject: number, ns: number): void {
    const index = Math.floor(bin / TILE_BINS);
    if (index !== this.#index) {
      this.close();
      this.#index = index;
    }
    const inside = bin - index * TILE_BINS;
    while (this.#filled <= inside) this.#first[this.#filled++] = this.#subject.length;
    for (let at = this.#first[inside] ?? 0; at < this.#subject.length; at++) {
      if (this.#subject[at] !== subject) continue;
      this.#ns[at] = (this.#ns[at] ?? 0) + ns;
      return;
    }
    this.#ns.push(ns);
    this.#subject.push(subject);
  }

  close(): void {
    if (this.#index < 0) return;
    this.#first.fill(this.#subject.length, this.#filled);
    this.tiles.set(this.#index, {
      type: 'bins',
      first: this.#first,
      ns: Float64Array.from(this.#ns),
      subject: Uint32Array.from(this.#subject),
    });
    this.#first = new Uint32Array(TILE_BINS + 1);
    this.#filled = 0;
    this.#ns.length = 0;
    this.#subject.length = 0;
  }
}

/**
 * The time of each subject in each bin, from spans that are sorted and do not overlap. Given two moments where tiles begin, only what lies between
 * them.
 */
export function binsOf(
  { start, duration, subject }: SpanColumns,
  binNs: number,
  lower = 0,
  upper = Number.POSITIVE_INFINITY,
): LevelTiles {
  const writer = new TileWriter();
  for (let at = 0; at < start.length; at++) {
    const from = Math.max(lower, start[at] ?? 0);
    const to = Math.min(upper, (start[at] ?? 0) + (duration[at] ?? 0));
    const whose = subject[at] ?? 0;
    let bin = Math.floor(from / binNs);
    writer.add(bin, whose, Math.min(to, (bin + 1) * binNs) - from);
    while ((bin + 1) * binNs < to) {
      bin++;
      writer.add(bin, whose, Math.min(to, (bin + 1) * binNs) - bin * binNs);
    }
  }
  writer.close();
  return writer.tiles;
}

/** The level above: two bins become one. */
export function coarserBins(finer: LevelTiles): LevelTiles {
  const writer = new TileWriter();
  for (const index of [...finer.keys()].sort((a, b) => a - b)) {
    const tile = finer.get(index);
    if (tile === undefined) continue;
    const { first, ns, subject } = tile;
    for (let inside = 0; inside < TILE_BINS; inside++) {
      const bin = Math.floor((index * TILE_BINS + inside) / 2);
      const end = first[inside + 1] ?? 0;
      for (let at = first[inside] ?? 0; at < end; at++) writer.add(bin, subject[at] ?? 0, ns[at] ?? 0);
    }
  }
  writer.close();
  return writer.tiles;
}
