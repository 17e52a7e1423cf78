import { FORMAT_VERSION, RECORD_BYTES } from '../model/record.ts';
import type { LaneInfo } from '../model/span.ts';

/**
 * The first 96 bytes of every lane file, little-endian:
 *
 *   0  magic          8 bytes  "VENTURI\0"
 *   8  version        u16      of the record format
 *  10  record size    u16      24
 *  12  header size    u16      96
 *  14  clock          u8       1 = CLOCK_MONOTONIC
 *  15  reserved       u8
 *  16  lane           16 bytes uuid
 *  32  pid            u32
 *  36  tid            u32
 *  40  process start  u64      ns since boot, 0 where unknown
 *  48  opened         u64      ns on the lane's clock
 *  56  segment        u32      0 for the first file of a lane
 *  60  zeros
 */
export const HEADER_BYTES = 96;
export const CLOCK_MONOTONIC = 1;

const MAGIC = 'VENTURI\0';

export interface LaneHeader {
  readonly uuid: string;
  readonly pid: number;
  readonly tid: number;
  readonly processStart: bigint;
  readonly opened: bigint;
  readonly segment: number;
}

export function writeHeader(target: Uint8Array, header: LaneHeader): void {
  const view = new DataView(target.buffer, target.byteOffset, HEADER_BYTES);
  target.fill(0, 0, HEADER_BYTES);
  for (let index = 0; index < MAGIC.length; index++) view.setUint8(index, MAGIC.charCodeAt(index));
  view.setUint16(8, FORMAT_VERSION, true);
  view.setUint16(10, RECORD_BYTES, true);
  view.setUint16(12, HEADER_BYTES, true);
  view.setUint8(14, CLOCK_MONOTONIC);
  const hex = header.uuid.replaceAll('-', '');
  for (let index = 0; index < 16; index++) {
    view.setUint8(16 + index, Number.parseInt(hex.slice(index * 2, index * 2 + 2), 16));
  }
  view.setUint32(32, header.pid, true);
  view.setUint32(36, header.tid, true);
  view.setBigUint64(40, header.processStart, true);
  view.setBigUint64(48, header.opened, true);
  view.setUint32(56, header.segment, true);
}

/** The header, or a clause that says why these bytes are not one this reader knows. */
export function readHeader(source: Uint8Array): LaneHeader | string {
  if (source.length < HEADER_BYTES) return `it ends within its header, after ${source.length} bytes`;
  const view = new DataView(source.buffer, source.byteOffset, HEADER_BYTES);
  for (let index = 0; index < MAGIC.length; index++) {
    if (view.getUint8(index) !== MAGIC.charCodeAt(index)) return 'it does not begin with the mark of a lane';
  }
  const version = view.getUint16(8, true);
  if (version > FORMAT_VERSION) return `its format ${version} is newer than ${FORMAT_VERSION}, the newest known here`;
  const recordBytes = view.getUint16(10, true);
  const headerBytes = view.getUint16(12, true);
  const clock = view.getUint8(14);
  if (recordBytes !== RECORD_BYTES) return `its records have ${recordBytes} bytes, not ${RECORD_BYTES}`;
  if (headerBytes !== HEADER_BYTES) return `its header has ${headerBytes} bytes, not ${HEADER_BYTES}`;
  if (clock !== CLOCK_MONOTONIC) return `its clock ${clock} is not known here`;
  const hex = Array.from(source.subarray(16, 32), byte => byte.toString(16).padStart(2, '0')).join('');
  return {
    uuid: hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
    pid: view.getUint32(32, true),
    tid: view.getUint32(36, true),
    processStart: view.getBigUint64(40, true),
    opened: view.getBigUint64(48, true),
    segment: view.getUint32(56, true),
  };
}

/** What a reader knows of a lane; `origin`: the moment the run began, on the lane's clock. */
export const laneInfo = (
  { uuid, pid, tid, opened }: LaneHeader,
  name: string,
  index: number,
  origin: bigint,
): LaneInfo => ({
  index,
  uuid,
  name,
  pid,
  tid,
  opened: Number(opened - origin),
});

export const laneFileName = (uuid: string, segment: number): string => `${uuid}.${segment}.lane`;
