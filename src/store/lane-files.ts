import { fstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readFully, withRegular } from '../files/regular-file.ts';
import { KIND_OFFSET, RECORD_BYTES, RECORD_KIND } from '../model/record.ts';
import type { Warning } from '../model/warnings.ts';
import { HEADER_BYTES, type LaneHeader, readHeader } from './lane-header.ts';
import { TextAssembler } from './text-entry.ts';

/** Enough for a header and any sensible name. */
const SNIFFED_BYTES = HEADER_BYTES + 512 * RECORD_BYTES;

/** Where a run keeps what a profiler saw, in lanes of their own: what is not about samples need not read them. */
export const SAMPLES_FOLDER = 'samples';

export interface SegmentFile {
  readonly path: string;
  readonly header: LaneHeader;
}

interface FoundSegment extends SegmentFile {
  readonly name: string | undefined;
  readonly closed: boolean;
}

/** The files of one lane, oldest first. */
export interface LaneFiles {
  readonly header: LaneHeader;
  readonly name: string;
  readonly segments: readonly SegmentFile[];
  /** Its last record says that it was closed in good order. */
  readonly closed: boolean;
}

/** Finds the lanes in a run's `lanes` folder. Files that are not lanes this reader knows become problems. */
export function findLanes(folder: string, problems: Warning[]): LaneFiles[] {
  const lanes = new Map<string, FoundSegment[]>();
  for (const entry of laneNames(folder, problems)) {
    const path = join(folder, entry);
    try {
      const segment = readSegment(path);
      if (typeof segment === 'string') problems.push(skipped(entry, segment));
      else {
        const known = lanes.get(segment.header.uuid);
        if (known === undefined) lanes.set(segment.header.uuid, [segment]);
        else known.push(segment);
      }
    } catch (error) {
      problems.push(skipped(entry, (error as Error).message));
    }
  }
  const found: LaneFiles[] = [];
  for (const [uuid, segments] of lanes) {
    segments.sort((a, b) => a.header.segment - b.header.segment);
    const first = segments[0];
    const last = segments.at(-1);
    if (first === undefined || last === undefined) continue;
    const name = segments.find(segment => segment.name !== undefined)?.name ?? uuid;
    const missing = last.header.segment + 1 - segments.length;
    if (missing > 0) {
      problems.push({
        code: 'VENTURI_WARN_LANE_SEGMENTS_MISSING',
        message: `Lane ${name} lacks ${missing} of its ${missing + segments.length} segments: rotated out or lost.`,
      });
    }
    found.push({ header: first.header, name, segments, closed: last.closed });
  }
  return found.sort((a, b) => compare(a.header.opened, b.header.opened) || compare(a.header.uuid, b.header.uuid));
}

const skipped = (entry: string, why: string): Warning => ({
  code: 'VENTURI_WARN_LANE_SKIPPED',
  message: `lanes/${entry} was passed over: ${why}.`,
});

const compare = <T extends bigint | string>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0);

function laneNames(folder: string, problems: Warning[]): string[] {
  try {
    return readdirSync(folder)
      .filter(name => name.endsWith('.lane'))
      .sort();
  } catch (error) {
    problems.push({
      code: 'VENTURI_WARN_LANES_UNREADABLE',
      message: `The folder lanes cannot be read: ${(error as Error).message}.`,
    });
    return [];
  }
}

function readSegment(path: string): FoundSegment | string {
  return withRegular(path, fd => {
    const bytes = new Uint8Array(SNIFFED_BYTES);
    const count = readFully(fd, bytes, 0);
    const header = readHeader(bytes.subarray(0, count));
    if (typeof header === 'string') return header;
    const records = Math.floor((fstatSync(fd).size - HEADER_BYTES) / RECORD_BYTES);
    const last = new Uint8Array(RECORD_BYTES);
    if (records > 0) readFully(fd, last, HEADER_BYTES + (records - 1) * RECORD_BYTES);
    return { path, header, name: readName(bytes, count), closed: last[KIND_OFFSET] === RECORD_KIND.end };
  });
}

/** The lane's name: entry 0 of its dictionary, which its writer puts first. */
function readName(bytes: Uint8Array, count: number): string | undefined {
  const assembler = new TextAssembler();
  for (let at = HEADER_BYTES; at + RECORD_BYTES <= count; at += RECORD_BYTES) {
    if (bytes[at + KIND_OFFSET] !== RECORD_KIND.text) return undefined;
    const entry = assembler.accept(bytes, at);
    if (entry?.number === 0) return entry.text;
  }
  return undefined;
}
