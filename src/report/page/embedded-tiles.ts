import { decodeTile } from './tile-encoding.ts';
import type { TileSource } from './tiles.ts';

/** Tiles in a page's own file, by `tileAddress`: bytes of `encodeTile`, compressed (raw deflate) and in base64. */
export type EmbeddedTiles = Readonly<Record<string, string>>;

/** Where a tile is served, below `tiles/`; `series` may be several with commas between them, which then come joined. */
export const tileAddress = (series: string, level: number, index: number): string => `${series}/${level}/${index}`;

/** `unpack` undoes base64 and compression with what the platform has. */
export const embeddedTiles = (
  packed: EmbeddedTiles,
  unpack: (text: string) => Promise<Uint8Array<ArrayBuffer>>,
): TileSource => ({
  tiles: (series, level, index) =>
    Promise.all(
      series.map(async key => {
        const text = packed[tileAddress(key, level, index)];
        return text === undefined ? undefined : decodeTile(await unpack(text));
      }),
    ),
});
