import type { Tile } from '../../src/analysis/pyramid/tile.ts';
import { tileAddress } from '../../src/report/page/embedded-tiles.ts';
import type { TileSource } from '../../src/report/page/tiles.ts';

/** Tiles that are kept: a screen of lanes at some levels. */
const MOST_TILES = 4000;
/** A tile that could not be had is asked for again after this time. */
const AGAIN_MS = 2000;

/** Tiles of one place in time that are to be asked for together. */
interface Request {
  readonly level: number;
  readonly index: number;
  readonly series: string[];
}

/**
 * Tiles as they come: what is not there yet is asked for once, all series of a place in time together, and `onArrival` is told when something came
 * that had been looked for in vain.
 */
export class TileCache {
  readonly #source: TileSource;
  readonly #onArrival: () => void;
  readonly #tiles = new Map<string, Tile | 'none' | 'asked'>();
  readonly #missed = new Set<string>();
  readonly #requests = new Map<string, Request>();

  constructor(source: TileSource, onArrival: () => void) {
    this.#source = source;
    this.#onArrival = onArrival;
  }

  /** `asked` while it is under way; undefined where there is none. */
  get(series: string, level: number, index: number): Tile | 'asked' | undefined {
    this.expect(series, level, index);
    const tile = this.peek(series, level, index);
    if (tile === 'asked') this.#missed.add(tileAddress(series, level, index));
    return tile;
  }

  /** What is there already; nothing is asked for. */
  peek(series: string, level: number, index: number): Tile | 'asked' | undefined {
    const known = this.#tiles.get(tileAddress(series, level, index)) ?? 'asked';
    return known === 'none' ? undefined : known;
  }

  /** Asks for what will be wanted soon. */
  expect(series: string, level: number, index: number): void {
    const key = tileAddress(series, level, index);
    if (this.#tiles.has(key)) return;
    this.#tiles.set(key, 'asked');
    if (this.#tiles.size > MOST_TILES) this.#forgetOldest();
    if (this.#requests.size === 0) queueMicrotask(() => this.#send());
    const place = `${level}/${index}`;
    const request = this.#requests.get(place) ?? { level, index, series: [] };
    request.series.push(series);
    this.#requests.set(place, request);
  }

  #send(): void {
    const requests = [...this.#requests.values()];
    this.#requests.clear();
    for (const request of requests) void this.#ask(request);
  }

  async #ask({ series, level, index }: Request): Promise<void> {
    const keys = series.map(each => tileAddress(each, level, index));
    try {
      const tiles = await this.#source.tiles(series, level, index);
      for (const [at, key] of keys.entries()) this.#tiles.set(key, tiles[at] ?? 'none');
    } catch {
      // Still wanted: coarser ones stand for them meanwhile.
      setTimeout(() => {
        for (const key of keys) this.#tiles.delete(key);
      }, AGAIN_MS);
      return;
    }
    const missed = keys.filter(key => this.#missed.delete(key));
    if (missed.length > 0) this.#onArrival();
  }

  #forgetOldest(): void {
    const [oldest] = this.#tiles.keys();
    if (oldest !== undefined) this.#tiles.delete(oldest);
  }
}
