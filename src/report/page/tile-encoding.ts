import type { BinTile, SpanTile, Tile } from '../../analysis/pyramid/tile.ts';

/**
 * A tile as bytes, little-endian: u32 type (0 spans, 1 bins), u32 rows, u32 bins, u32 reserved; then columns one after the other, those
 * of 8 bytes first, so that each lies where its type can be viewed.
 *   spans: f64 start, f64 duration, u32 subject, u32 sequence
 *   bins:  f64 ns, u32 subject, u32 first (bins + 1)
 */
const HEADER_BYTES = 16;
const TYPES = { spans: 0, bins: 1 } as const;

export function encodeTile(tile: Tile): Uint8Array<ArrayBuffer> {
  const columns =
    tile.type === 'spans'
      ? [tile.start, tile.duration, tile.subject, tile.sequence]
      : [tile.ns, tile.subject, tile.first];
  const bytes = new Uint8Array(columns.reduce((sum, { byteLength }) => sum + byteLength, HEADER_BYTES));
  const bins = tile.type === 'bins' ? tile.first.length - 1 : 0;
  new Uint32Array(bytes.buffer, 0, 4).set([TYPES[tile.type], tile.subject.length, bins, 0]);
  let at = HEADER_BYTES;
  for (const { buffer, byteOffset, byteLength } of columns) {
    bytes.set(new Uint8Array(buffer, byteOffset, byteLength), at);
    at += byteLength;
  }
  return bytes;
}

/** Undefined where the bytes are no tile. The columns are views of them. */
export function decodeTile(bytes: Uint8Array<ArrayBuffer>): Tile | undefined {
  if (bytes.byteLength < HEADER_BYTES) return undefined;
  const whole = bytes.byteOffset % Float64Array.BYTES_PER_ELEMENT === 0 ? bytes : new Uint8Array(bytes);
  const { buffer, byteOffset, byteLength } = whole;
  const [type, rows = 0, bins = 0] = new Uint32Array(buffer, byteOffset, 4);
  let at = byteOffset + HEADER_BYTES;
  const wide = (): Float64Array => {
    at += 8 * rows;
    return new Float64Array(buffer, at - 8 * rows, rows);
  };
  const narrow = (length: number): Uint32Array => {
    at += 4 * length;
    return new Uint32Array(buffer, at - 4 * length, length);
  };
  if (type === TYPES.spans && byteLength === HEADER_BYTES + 24 * rows) {
    const tile: SpanTile = {
      type: 'spans',
      start: wide(),
      duration: wide(),
      subject: narrow(rows),
      sequence: narrow(rows),
    };
    return tile;
  }
  if (type !== TYPES.bins || byteLength !== HEADER_BYTES + 12 * rows + 4 * (bins + 1)) return undefined;
  const tile: BinTile = {
    type: 'bins',
    ns: wide(),
    subject: narrow(rows),
    first: narrow(bins + 1),
  };
  return tile;
}

/** Where a tile may lie among others: its columns are viewed there. */
const aligned = (bytes: number): number =>
  Math.ceil(bytes / Float64Array.BYTES_PER_ELEMENT) * Float64Array.BYTES_PER_ELEMENT;

/** Tiles in one piece, those that are not there with length 0: u32 how many, u32 length of each; then each where its columns can be viewed. */
export function joinTiles(tiles: readonly (Uint8Array | undefined)[]): Uint8Array<ArrayBuffer> {
  const head = aligned(4 * (tiles.length + 1));
  const bytes = new Uint8Array(tiles.reduce((sum, tile) => sum + aligned(tile?.byteLength ?? 0), head));
  new Uint32Array(bytes.buffer, 0, tiles.length + 1).set([tiles.length, ...tiles.map(tile => tile?.byteLength ?? 0)]);
  let at = head;
  for (const tile of tiles) {
    if (tile === undefined) continue;
    bytes.set(tile, at);
    at += aligned(tile.byteLength);
  }
  return bytes;
}

/** The tiles that were joined; undefined for those that were not there, and from where on the bytes are none. */
export function splitTiles(bytes: Uint8Array<ArrayBuffer>): (Tile | undefined)[] {
  if (bytes.byteLength < 4) return [];
  const whole = bytes.byteOffset % Float64Array.BYTES_PER_ELEMENT === 0 ? bytes : new Uint8Array(bytes);
  const [count = 0] = new Uint32Array(whole.buffer, whole.byteOffset, 1);
  if (whole.byteLength < 4 * (count + 1)) return [];
  let at = aligned(4 * (count + 1));
  return Array.from(new Uint32Array(whole.buffer, whole.byteOffset + 4, count), length => {
    const tile = decodeTile(whole.subarray(at, at + length));
    at += aligned(length);
    return tile;
  });
}
