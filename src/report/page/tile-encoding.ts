import type { Tile, TileColumn } from '../../analysis/pyramid/tile.ts';

/**
 * A tile as bytes, little-endian: u8 type (0 spans, 1 bins), three u8 with the bytes of a number in each column, u32 rows, u32 bins, u32 reserved,
 * f64 origin; then columns one after the other, each where it can be viewed.
 *   spans: start since the origin, duration, subject
 *   bins:  ns, subject, first (bins + 1)
 * A column has numbers of 1, 2 or 4 bytes without sign where those hold all of it exactly, and f64 where they do not.
 */
const HEADER_BYTES = 24;
const TYPES = { spans: 0, bins: 1 } as const;
/** By the bytes of a number. */
const COLUMNS = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array, 8: Float64Array } as const;
type Width = keyof typeof COLUMNS;

export function encodeTile(tile: Tile): Uint8Array<ArrayBuffer> {
  const { origin, columns } = columnsOf(tile);
  const narrow = columns.map(narrowed);
  const bytes = new Uint8Array(narrow.reduce((sum, { byteLength }) => sum + aligned(byteLength), HEADER_BYTES));
  bytes.set([TYPES[tile.type], ...narrow.map(each => each.BYTES_PER_ELEMENT)]);
  const bins = tile.type === 'bins' ? tile.first.length - 1 : 0;
  new Uint32Array(bytes.buffer, 4, 2).set([tile.subject.length, bins]);
  new Float64Array(bytes.buffer, 16, 1)[0] = origin;
  let at = HEADER_BYTES;
  for (const { buffer, byteOffset, byteLength } of narrow) {
    bytes.set(new Uint8Array(buffer, byteOffset, byteLength), at);
    at += aligned(byteLength);
  }
  return bytes;
}

/** Starts are counted from the first on, where that leaves nothing of them out. */
function columnsOf(tile: Tile): { origin: number; columns: readonly TileColumn[] } {
  if (tile.type === 'bins') return { origin: 0, columns: [tile.ns, tile.subject, tile.first] };
  const { origin: before, start, duration, subject } = tile;
  const origin = before + (start[0] ?? 0);
  const since = Float64Array.from(start, from => before + from - origin);
  const isExact = since.every((from, at) => origin + from === before + (start[at] ?? 0));
  return isExact
    ? { origin, columns: [since, duration, subject] }
    : { origin: before, columns: [start, duration, subject] };
}

/** In the narrowest type that holds all of it. */
function narrowed(column: TileColumn): TileColumn {
  let width: Width = 1;
  for (const value of column) {
    const needed = widthOf(value);
    if (needed > width) width = needed;
    if (width === 8) break;
  }
  return width === column.BYTES_PER_ELEMENT ? column : new COLUMNS[width](column);
}

function widthOf(value: number): Width {
  if (value >>> 0 !== value || Object.is(value, -0)) return 8;
  if (value > 0xffff) return 4;
  return value > 0xff ? 2 : 1;
}

/** Undefined where the bytes are no tile. The columns are views of them. */
export function decodeTile(bytes: Uint8Array<ArrayBuffer>): Tile | undefined {
  if (bytes.byteLength < HEADER_BYTES) return undefined;
  const { buffer, byteOffset, byteLength } = viewable(bytes);
  const [type, ...widths] = new Uint8Array(buffer, byteOffset, 4);
  const [rows = 0, bins = 0] = new Uint32Array(buffer, byteOffset + 4, 2);
  const lengths = [rows, rows, type === TYPES.spans ? rows : bins + 1];
  const columns: TileColumn[] = [];
  let at = HEADER_BYTES;
  for (const [place, length] of lengths.entries()) {
    const width = widths[place] ?? 0;
    if (!isWidth(width) || at + width * length > byteLength) return undefined;
    columns.push(new COLUMNS[width](buffer, byteOffset + at, length));
    at += aligned(width * length);
  }
  const [one, two, three] = columns;
  if (at !== byteLength || one === undefined || two === undefined || three === undefined) return undefined;
  if (type === TYPES.bins) return { type: 'bins', ns: one, subject: two, first: three };
  if (type !== TYPES.spans) return undefined;
  const [origin = 0] = new Float64Array(buffer, byteOffset + 16, 1);
  return { type: 'spans', origin, start: one, duration: two, subject: three };
}

const isWidth = (bytes: number): bytes is Width => bytes in COLUMNS;

/** Where a column or a tile may lie among others, so that it can be viewed there. */
const aligned = (bytes: number): number =>
  Math.ceil(bytes / Float64Array.BYTES_PER_ELEMENT) * Float64Array.BYTES_PER_ELEMENT;

/** The same bytes where columns can be viewed. */
const viewable = (bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> =>
  bytes.byteOffset % Float64Array.BYTES_PER_ELEMENT === 0 ? bytes : new Uint8Array(bytes);

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
  const whole = viewable(bytes);
  const [count = 0] = new Uint32Array(whole.buffer, whole.byteOffset, 1);
  if (whole.byteLength < 4 * (count + 1)) return [];
  let at = aligned(4 * (count + 1));
  return Array.from(new Uint32Array(whole.buffer, whole.byteOffset + 4, count), length => {
    const tile = decodeTile(whole.subarray(at, at + length));
    at += aligned(length);
    return tile;
  });
}
