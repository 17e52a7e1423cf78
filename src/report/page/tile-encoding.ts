import type { BinTile, SpanTile, Tile } from '../../analysis/pyramid/tile.ts';

/**
 * A tile as bytes, little-endian: u32 type (0 spans, 1 bins), u32 rows, u32 bins, u32 reserved; then columns one after the other, those
 * of 8 bytes first, so that each lies where its type can be viewed.
 *   spans: f64 start, f64 duration, u32 subject, u32 sequence
 *   bins:  f64 ns, u32 subject, u32 count, u32 first (bins + 1)
 */
const HEADER_BYTES = 16;
const TYPES = { spans: 0, bins: 1 } as const;

export function encodeTile(tile: Tile): Uint8Array<ArrayBuffer> {
  const columns =
    tile.type === 'spans'
      ? [tile.start, tile.duration, tile.subject, tile.sequence]
      : [tile.ns, tile.subject, tile.count, tile.first];
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
  const aligned = bytes.byteOffset % Float64Array.BYTES_PER_ELEMENT === 0 ? bytes : new Uint8Array(bytes);
  const { buffer, byteOffset, byteLength } = aligned;
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
  if (type !== TYPES.bins || byteLength !== HEADER_BYTES + 16 * rows + 4 * (bins + 1)) return undefined;
  const tile: BinTile = {
    type: 'bins',
    ns: wide(),
    subject: narrow(rows),
    count: narrow(rows),
    first: narrow(bins + 1),
  };
  return tile;
}
