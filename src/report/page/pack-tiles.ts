import type { Pyramid } from '../../analysis/pyramid/pyramid.ts';
import { tileNs } from '../../analysis/pyramid/tile.ts';
import { type EmbeddedTiles, tileAddress } from './embedded-tiles.ts';
import { encodeTile } from './tile-encoding.ts';

export interface PackedTiles {
  readonly tiles: EmbeddedTiles;
  /** Finest level that is there as a whole. */
  readonly finest: number;
  readonly characters: number;
}

/**
 * Tiles for a page's own file, whole levels from the coarsest on while they fit into `mostCharacters`. The coarsest is there in any case.
 * `pack` compresses (raw deflate) and gives base64.
 */
export function packTiles(pyramid: Pyramid, pack: (bytes: Uint8Array) => string, mostCharacters: number): PackedTiles {
  let tiles: EmbeddedTiles = {};
  let characters = 0;
  for (let level = pyramid.coarsest; level >= 0; level--) {
    const packed = packLevel(pyramid, level, pack);
    const more = Object.values(packed).reduce((sum, text) => sum + text.length, 0);
    if (level < pyramid.coarsest && characters + more > mostCharacters) {
      return { tiles, finest: level + 1, characters };
    }
    tiles = { ...tiles, ...packed };
    characters += more;
  }
  return { tiles, finest: 0, characters };
}

function packLevel(pyramid: Pyramid, level: number, pack: (bytes: Uint8Array) => string): EmbeddedTiles {
  const packed: Record<string, string> = {};
  const last = Math.floor(pyramid.endNs / tileNs(pyramid.binNs, level));
  for (const { series } of pyramid.lanes) {
    for (const { key } of series) {
      for (let index = 0; index <= last; index++) {
        const tile = pyramid.tile(key, level, index);
        if (tile !== undefined) packed[tileAddress(key, level, index)] = pack(encodeTile(tile));
      }
    }
  }
  return packed;
}
