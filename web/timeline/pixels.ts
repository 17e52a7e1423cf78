import { TILE_BINS, type Tile, tileNs } from '../../src/analysis/pyramid/tile.ts';
import type { Viewport } from './viewport.ts';

/** What a row of a timeline shows at each pixel: the subject with most time there, and the part of the pixel that all of them take. */
export interface PixelRow {
  readonly subject: Int32Array;
  readonly share: Float32Array;
}

/** Entries that a view begins with; there are few subjects in a pixel, mostly one. */
const FIRST_ENTRIES = 4096;

/**
 * Draws tiles into pixels. Bins finer than a pixel are summed; coarser ones are shared among the pixels they cover. Each pixel has a
 * list of subjects and their times, in columns that all of them share: a frame draws many rows, and none of them makes garbage.
 */
export class PixelWriter {
  #view: Viewport = { from: 0, to: 1 };
  #perPixel = 1;
  #pixels = 0;
  /** By pixel: its first entry, -1 where it has none. By entry: the next one of the pixel. */
  #head = new Int32Array(0);
  #next = new Int32Array(FIRST_ENTRIES);
  #subject = new Int32Array(FIRST_ENTRIES);
  #ns = new Float64Array(FIRST_ENTRIES);
  #entries = 0;

  /** Begins a row. */
  begin(view: Viewport, pixels: number): void {
    this.#view = view;
    this.#pixels = pixels;
    this.#perPixel = (view.to - view.from) / pixels;
    if (this.#head.length < pixels) this.#head = new Int32Array(pixels);
    this.#head.fill(-1, 0, pixels);
    this.#entries = 0;
  }

  /** `index`: of the tile in its level. */
  add(tile: Tile, binNs: number, level: number, index: number): void {
    if (tile.type === 'spans') {
      const begin = index * tileNs(binNs, 0);
      const end = begin + tileNs(binNs, 0);
      for (let at = 0; at < tile.start.length; at++) {
        const start = tile.start[at] ?? 0;
        // A span that crosses tiles is in each of them: every tile draws its own part.
        const from = Math.max(begin, start);
        this.#spread(tile.subject[at] ?? 0, from, Math.min(end, start + (tile.duration[at] ?? 0)), 1);
      }
      return;
    }
    const width = tileNs(binNs, level) / TILE_BINS;
    for (let bin = 0; bin < tile.first.length - 1; bin++) {
      const last = tile.first[bin + 1] ?? 0;
      const from = (index * TILE_BINS + bin) * width;
      if (from + width <= this.#view.from || from >= this.#view.to) continue;
      for (let at = tile.first[bin] ?? 0; at < last; at++) {
        this.#spread(tile.subject[at] ?? 0, from, from + width, (tile.ns[at] ?? 0) / width);
      }
    }
  }

  /** A subject had `part` of the time from `from` to `to`. */
  #spread(subject: number, from: number, to: number, part: number): void {
    const origin = this.#view.from;
    const begin = Math.max(from, origin);
    const end = Math.min(to, this.#view.to);
    if (!(end > begin) || !(part > 0)) return;
    const first = Math.floor((begin - origin) / this.#perPixel);
    const last = Math.min(this.#pixels - 1, Math.ceil((end - origin) / this.#perPixel) - 1);
    for (let at = Math.max(0, first); at <= last; at++) {
      const left = origin + at * this.#perPixel;
      const overlap = Math.min(end, left + this.#perPixel) - Math.max(begin, left);
      if (overlap > 0) this.#count(at, subject, overlap * part);
    }
  }

  #count(pixel: number, subject: number, ns: number): void {
    const head = this.#head[pixel] ?? -1;
    for (let at = head; at >= 0; at = this.#next[at] ?? -1) {
      if (this.#subject[at] !== subject) continue;
      this.#ns[at] = (this.#ns[at] ?? 0) + ns;
      return;
    }
    if (this.#entries === this.#next.length) this.#grow();
    const entry = this.#entries++;
    this.#next[entry] = head;
    this.#subject[entry] = subject;
    this.#ns[entry] = ns;
    this.#head[pixel] = entry;
  }

  #grow(): void {
    const [next, subject, ns] = [this.#next, this.#subject, this.#ns];
    this.#next = new Int32Array(2 * next.length);
    this.#subject = new Int32Array(2 * next.length);
    this.#ns = new Float64Array(2 * next.length);
    this.#next.set(next);
    this.#subject.set(subject);
    this.#ns.set(ns);
  }

  /** -1 where nothing happened. */
  row(): PixelRow {
    const subject = new Int32Array(this.#pixels).fill(-1);
    const share = new Float32Array(this.#pixels);
    for (let pixel = 0; pixel < this.#pixels; pixel++) {
      let most = 0;
      let sum = 0;
      for (let at = this.#head[pixel] ?? -1; at >= 0; at = this.#next[at] ?? -1) {
        const ns = this.#ns[at] ?? 0;
        sum += ns;
        if (ns <= most) continue;
        most = ns;
        subject[pixel] = this.#subject[at] ?? -1;
      }
      share[pixel] = Math.min(1, sum / this.#perPixel);
    }
    return { subject, share };
  }

  /** Time of each subject in the whole view, ns. */
  totals(): Map<number, number> {
    const totals = new Map<number, number>();
    for (let at = 0; at < this.#entries; at++) {
      const subject = this.#subject[at] ?? -1;
      totals.set(subject, (totals.get(subject) ?? 0) + (this.#ns[at] ?? 0));
    }
    return totals;
  }
}
