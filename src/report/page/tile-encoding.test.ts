import { deflateRawSync, inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TILE_BINS, type Tile, tileNs } from '../../analysis/pyramid/tile.ts';
import { embeddedTiles, tileAddress } from './embedded-tiles.ts';
import { decodeTile, encodeTile, joinTiles, splitTiles } from './tile-encoding.ts';

/** Whole numbers of every width, and others. */
const number = fc.oneof(
  fc.nat(300),
  fc.nat(70_000),
  fc.nat(2 ** 32 - 1),
  fc.nat(2 ** 50),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const row = fc.record({ start: number, duration: number, subject: fc.nat() });
const values = (tile: Tile | undefined) =>
  tile?.type === 'spans'
    ? [[...tile.start].map(start => tile.origin + start), [...tile.duration], [...tile.subject]]
    : [[...(tile?.ns ?? [])], [...(tile?.subject ?? [])], [...(tile?.first ?? [])]];

test('a tile comes back from its bytes, wherever in memory they lie', () => {
  fc.assert(
    fc.property(fc.array(row), fc.array(fc.nat()), fc.nat(9), (rows, first, offset) => {
      const [start, duration] = [
        Float64Array.from(rows, each => each.start),
        Float64Array.from(rows, each => each.duration),
      ];
      const subject = Uint32Array.from(rows, each => each.subject);
      const tiles: Tile[] = [
        { type: 'spans', origin: 0, start, duration, subject },
        { type: 'bins', first: Uint32Array.from([0, ...first]), ns: duration, subject },
      ];
      for (const tile of tiles) {
        const bytes = encodeTile(tile);
        const moved = new Uint8Array(bytes.length + offset);
        moved.set(bytes, offset);
        const decoded = decodeTile(moved.subarray(offset));
        expect(decoded?.type).toBe(tile.type);
        expect(values(decoded)).toEqual(values(tile));
        expect(decodeTile(bytes.subarray(0, bytes.length - 1))).toBeUndefined();
      }
    }),
  );
});

test('columns have the narrowest type that holds them, and starts are counted from the first on', () => {
  const spans: Tile = {
    type: 'spans',
    origin: 0,
    start: Float64Array.of(3e11, 3e11 + 70_000),
    duration: Float64Array.of(65_535, 256),
    subject: Uint32Array.of(255, 0),
  };
  expect(decodeTile(encodeTile(spans))).toEqual({
    type: 'spans',
    origin: 3e11,
    start: Uint32Array.of(0, 70_000),
    duration: Uint16Array.of(65_535, 256),
    subject: Uint8Array.of(255, 0),
  });
  expect(decodeTile(encodeTile({ ...spans, start: Float64Array.of(0.25, 1.75) }))).toMatchObject({
    origin: 0.25,
    start: Float64Array.of(0, 1.5),
  });
  // The difference of these would lose what is behind the point.
  expect(decodeTile(encodeTile({ ...spans, start: Float64Array.of(-1e16, 0.3) }))).toMatchObject({
    origin: 0,
    start: Float64Array.of(-1e16, 0.3),
  });
});

test('bytes of another width or length are no tile', () => {
  const bytes = encodeTile({
    type: 'bins',
    first: Uint32Array.of(0, 1),
    ns: Float64Array.of(7),
    subject: Uint32Array.of(2),
  });
  for (const [at, value] of [
    [0, 2],
    [1, 3],
    [1, 0],
    [4, 200],
    [8, 200],
  ] as const) {
    const other = bytes.slice();
    other[at] = value;
    expect(decodeTile(other)).toBeUndefined();
  }
  expect(decodeTile(bytes)?.type).toBe('bins');
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
      expect(splitTiles(moved.subarray(offset)).map(tile => tile && values(tile))).toEqual(
        tiles.map(tile => tile && values(tile)),
      );
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
    origin: 1,
    start: Uint8Array.of(0),
    duration: Uint8Array.of(2),
    subject: Uint8Array.of(3),
  };
  const packed = deflateRawSync(encodeTile(tile)).toString('base64');
  const source = embeddedTiles({ [tileAddress('lane-0.0', 0, 7)]: packed }, async text =>
    Uint8Array.from(inflateRawSync(Buffer.from(text, 'base64'))),
  );
  expect(await source.tiles(['lane-0.0', 'lane-1.0'], 0, 7)).toEqual([tile, undefined]);
  expect(await source.tiles(['lane-0.0'], 1, 7)).toEqual([undefined]);
});
