import { deflateRawSync, inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TILE_BINS, type Tile, tileNs } from '../../analysis/pyramid/tile.ts';
import { embeddedTiles, tileAddress } from './embedded-tiles.ts';
import { decodeTile, encodeTile, joinTiles, splitTiles } from './tile-encoding.ts';

const row = fc.record({
  start: fc.double({ noNaN: true }),
  duration: fc.double({ noNaN: true }),
  subject: fc.nat(),
  number: fc.nat(),
});

test('a tile comes back from its bytes, wherever in memory they lie', () => {
  fc.assert(
    fc.property(fc.array(row), fc.array(fc.nat()), fc.nat(9), (rows, first, offset) => {
      const [start, duration] = [
        Float64Array.from(rows, each => each.start),
        Float64Array.from(rows, each => each.duration),
      ];
      const [subject, number] = [
        Uint32Array.from(rows, each => each.subject),
        Uint32Array.from(rows, each => each.number),
      ];
      const tiles: Tile[] = [
        { type: 'spans', start, duration, subject, sequence: number },
        { type: 'bins', first: Uint32Array.from([0, ...first]), ns: duration, subject },
      ];
      for (const tile of tiles) {
        const bytes = encodeTile(tile);
        const moved = new Uint8Array(bytes.length + offset);
        moved.set(bytes, offset);
        expect(decodeTile(moved.subarray(offset))).toEqual(tile);
        expect(decodeTile(bytes.subarray(0, bytes.length - 1))).toBeUndefined();
      }
    }),
  );
});

test('joined tiles come back in their places, and others are not read', () => {
  const bins = (rows: number): Tile => ({
    type: 'bins',
    first: Uint32Array.of(0, rows),
    ns: new Float64Array(rows).fill(2.5),
    subject: new Uint32Array(rows).fill(7),
  });
  fc.assert(
    fc.property(fc.array(fc.option(fc.nat(5), { nil: undefined })), fc.nat(9), (rows, offset) => {
      const tiles = rows.map(each => (each === undefined ? undefined : bins(each)));
      const bytes = joinTiles(tiles.map(tile => tile && encodeTile(tile)));
      const moved = new Uint8Array(bytes.length + offset);
      moved.set(bytes, offset);
      expect(splitTiles(moved.subarray(offset))).toEqual(tiles);
      expect(splitTiles(bytes.subarray(0, bytes.length - 4)).filter(Boolean).length).toBeLessThanOrEqual(tiles.length);
    }),
  );
  expect(splitTiles(Uint8Array.of(1))).toEqual([]);
  expect(splitTiles(Uint8Array.of(255, 255, 255, 255, 0, 0, 0, 0))).toEqual([]);
});

test('a tile of spans and one of the finest bins take the same time, and each level twice as much', () => {
  expect(tileNs(10, 0)).toBe(10 * TILE_BINS);
  expect(tileNs(10, 1)).toBe(10 * TILE_BINS);
  expect(tileNs(10, 3)).toBe(40 * TILE_BINS);
});

test('tiles in a page are found by series, level and index', async () => {
  const tile: Tile = {
    type: 'spans',
    start: Float64Array.of(1),
    duration: Float64Array.of(2),
    subject: Uint32Array.of(3),
    sequence: Uint32Array.of(4),
  };
  const packed = deflateRawSync(encodeTile(tile)).toString('base64');
  const source = embeddedTiles({ [tileAddress('lane-0.0', 0, 7)]: packed }, async text =>
    Uint8Array.from(inflateRawSync(Buffer.from(text, 'base64'))),
  );
  expect(await source.tiles(['lane-0.0', 'lane-1.0'], 0, 7)).toEqual([tile, undefined]);
  expect(await source.tiles(['lane-0.0'], 1, 7)).toEqual([undefined]);
});
