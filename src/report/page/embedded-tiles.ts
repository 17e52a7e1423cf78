import { decodeTile } from './tile-encoding.ts';
import type { TileSource } from './tiles.ts';

/** Tiles in a page's own file, by `tileAddress`: bytes of `encodeTile`, compressed (raw deflate) and in base64. */
export type EmbeddedTiles = Readonly<Record<string, string>>;

/** Where a tile is served, below `tiles/`. */
export const tileAddress = (series: string, level: number, index: number): string => `${series}/${level}/${index}`;

/** `unpack` undoes base64 and compression with what the platform has. */
export const embeddedTiles = (
  packed: EmbeddedTiles,
  unpack: (text: string) => Promise<Uint8Array<ArrayBuffer>>,
): TileSource => ({
  tile: async (series, level, index) => {
    const text = packed[tileAddress(series, level, index)];
    return text === undefined ? undefined : decodeTile(await unpack(text));
  },
});
