import type { Tile } from '../../src/analysis/pyramid/tile.ts';
import { tileAddress } from '../../src/report/page/embedded-tiles.ts';
import type { TileSource } from '../../src/report/page/tiles.ts';

/** Tiles that are kept: a screen of lanes at some levels. */
const MOST_TILES = 4000;
/** A tile that could not be had is asked for again after this time. */
const AGAIN_MS = 2000;

/** Tiles as they come: what is not there yet is asked for once, and `onArrival` is told. */
export class TileCache {
  readonly #source: TileSource;
  readonly #onArrival: () => void;
  readonly #tiles = new Map<string, Tile | 'none' | 'asked'>();

  constructor(source: TileSource, onArrival: () => void) {
    this.#source = source;
    this.#onArrival = onArrival;
  }

  /** `asked` while it is under way; undefined where there is none. */
  get(series: string, level: number, index: number): Tile | 'asked' | undefined {
    const key = tileAddress(series, level, index);
    const known = this.#tiles.get(key);
    if (known !== undefined) return known === 'none' ? undefined : known;
    this.#tiles.set(key, 'asked');
    if (this.#tiles.size > MOST_TILES) this.#forgetOldest();
    void this.#ask(key, series, level, index);
    return 'asked';
  }

  /** What is there already; nothing is asked for. */
  peek(series: string, level: number, index: number): Tile | 'asked' | undefined {
    const known = this.#tiles.get(tileAddress(series, level, index)) ?? 'asked';
    return known === 'none' ? undefined : known;
  }

  async #ask(key: string, series: string, level: number, index: number): Promise<void> {
    try {
      this.#tiles.set(key, (await this.#source.tile(series, level, index)) ?? 'none');
    } catch {
      this.#tiles.set(key, 'none');
      setTimeout(() => this.#tiles.delete(key), AGAIN_MS);
    }
    this.#onArrival();
  }

  #forgetOldest(): void {
    const [oldest] = this.#tiles.keys();
    if (oldest !== undefined) this.#tiles.delete(oldest);
  }
}
