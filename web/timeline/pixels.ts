import { TILE_BINS, type Tile, type TileColumn, tileNs } from '../../src/analysis/pyramid/tile.ts';
import type { Viewport } from './viewport.ts';

/** What a row of a timeline shows at each pixel: the subject with most time there, and the part of the pixel that all of them take. */
export interface PixelRow {
  readonly subject: Int32Array;
  readonly share: Float32Array;
}

/** Subjects that a view begins with. */
const FIRST_SUBJECTS = 64;

/**
 * Draws tiles into pixels. Bins finer than a pixel are summed; coarser ones are shared among the pixels they cover. Tiles come in the order of
 * time, and so does what is in them: only one pixel at a time is open, with the time of each subject in it. A frame draws many rows, and
 * none of them makes garbage.
 */
export class PixelWriter {
  #view: Viewport = { from: 0, to: 1 };
  #perPixel = 1;
  #pixels = 0;
  #shownSubject = new Int32Array(0);
  #shownShare = new Float32Array(0);
  /** The open pixel, -1 before the first: its time by subject, and which subjects it has, in the order in which they came. */
  #open = -1;
  #ns = new Float64Array(FIRST_SUBJECTS);
  #within = new Int32Array(FIRST_SUBJECTS);
  #count = 0;

  /** Begins a row. */
  begin(view: Viewport, pixels: number): void {
    this.#clear();
    this.#open = -1;
    this.#view = view;
    this.#pixels = pixels;
    this.#perPixel = (view.to - view.from) / pixels;
    if (this.#shownSubject.length < pixels) {
      this.#shownSubject = new Int32Array(pixels);
      this.#shownShare = new Float32Array(pixels);
    }
    this.#shownSubject.fill(-1, 0, pixels);
    this.#shownShare.fill(0, 0, pixels);
  }

  /** `index`: of the tile in its level. */
  add(tile: Tile, binNs: number, level: number, index: number): void {
    const { from, to } = this.#view;
    if (tile.type === 'spans') {
      const begin = index * tileNs(binNs, 0);
      const end = begin + tileNs(binNs, 0);
      for (let at = 0; at < tile.start.length; at++) {
        const start = tile.origin + (tile.start[at] ?? 0);
        if (start >= to) break;
        // A span that crosses tiles is in each of them: every tile draws its own part.
        this.#spread(tile.subject, at, at + 1, Math.max(begin, start), Math.min(end, start + (tile.duration[at] ?? 0)));
      }
      return;
    }
    const width = tileNs(binNs, level) / TILE_BINS;
    const origin = index * TILE_BINS;
    const bins = tile.first.length - 1;
    const last = Math.min(bins, Math.ceil(to / width) - origin);
    for (let bin = Math.max(0, Math.floor(from / width) - origin); bin < last; bin++) {
      const first = tile.first[bin] ?? 0;
      const behind = tile.first[bin + 1] ?? 0;
      if (first === behind) continue;
      const start = (origin + bin) * width;
      this.#spread(tile.subject, first, behind, start, start + width, tile.ns);
    }
  }

  /** Subjects of some entries had the time from `from` to `to`: all of it, or in sum `ns` each, evenly. */
  #spread(subject: TileColumn, first: number, behind: number, from: number, to: number, ns?: TileColumn): void {
    const origin = this.#view.from;
    const perPixel = this.#perPixel;
    const begin = Math.max(from, origin);
    const end = Math.min(to, this.#view.to);
    if (!(end > begin)) return;
    const last = Math.min(this.#pixels - 1, Math.ceil((end - origin) / perPixel) - 1);
    for (let pixel = Math.max(0, Math.floor((begin - origin) / perPixel)); pixel <= last; pixel++) {
      const left = origin + pixel * perPixel;
      const overlap = Math.min(end, left + perPixel) - Math.max(begin, left);
      if (!(overlap > 0)) continue;
      if (pixel !== this.#open) this.#openPixel(pixel);
      if (ns === undefined) for (let at = first; at < behind; at++) this.#add(subject[at] ?? 0, overlap);
      else this.#addParts(subject, ns, first, behind, overlap / (to - from));
    }
  }

  #addParts(subject: TileColumn, ns: TileColumn, first: number, behind: number, part: number): void {
    for (let at = first; at < behind; at++) {
      const time = (ns[at] ?? 0) * part;
      if (time > 0) this.#add(subject[at] ?? 0, time);
    }
  }

  #add(subject: number, ns: number): void {
    if (subject >= this.#ns.length) this.#grow(subject);
    const before = this.#ns[subject] ?? 0;
    // No time is added that is 0: what has none was not in this pixel before.
    if (before === 0) this.#within[this.#count++] = subject;
    this.#ns[subject] = before + ns;
  }

  #openPixel(pixel: number): void {
    if (pixel < this.#open) throw new Error('Tiles of a row were not in the order of time');
    this.#close();
    this.#clear();
    this.#open = pixel;
  }

  /** Writes down what the open pixel has come to. */
  #close(): void {
    if (this.#open < 0) return;
    let most = 0;
    let sum = 0;
    let whose = -1;
    for (let at = 0; at < this.#count; at++) {
      const subject = this.#within[at] ?? 0;
      const ns = this.#ns[subject] ?? 0;
      sum += ns;
      if (ns <= most) continue;
      most = ns;
      whose = subject;
    }
    this.#shownSubject[this.#open] = whose;
    this.#shownShare[this.#open] = Math.min(1, sum / this.#perPixel);
  }

  #clear(): void {
    for (let at = 0; at < this.#count; at++) this.#ns[this.#within[at] ?? 0] = 0;
    this.#count = 0;
  }

  #grow(subject: number): void {
    const size = Math.max(2 * this.#ns.length, 2 ** Math.ceil(Math.log2(subject + 1)));
    const [ns, within] = [this.#ns, this.#within];
    this.#ns = new Float64Array(size);
    this.#within = new Int32Array(size);
    this.#ns.set(ns);
    this.#within.set(within);
  }

  /** -1 where nothing happened. Views of what the next row is written to. */
  row(): PixelRow {
    this.#close();
    return {
      subject: this.#shownSubject.subarray(0, this.#pixels),
      share: this.#shownShare.subarray(0, this.#pixels),
    };
  }

  /** Time of each subject in the pixel that came last, ns: of a view that is one pixel, all of it. */
  totals(): Map<number, number> {
    return new Map(
      Array.from(this.#within.subarray(0, this.#count), subject => [subject, this.#ns[subject] ?? 0] as const),
    );
  }
}
