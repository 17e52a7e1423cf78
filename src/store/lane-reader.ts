import { closeSync } from 'node:fs';
import { openRegular, readFully } from '../files/regular-file.ts';
import { RECORD_BYTES, RECORD_WORDS, subject } from '../model/record.ts';
import type { LaneInfo, RecordBlock, RecordSource } from '../model/span.ts';
import type { Warning } from '../model/warnings.ts';
import type { LaneFiles } from './lane-files.ts';
import { HEADER_BYTES } from './lane-header.ts';
import { LaneDictionary, RecordDecoder, SubjectTable } from './record-decoder.ts';

/** Records per block: their bytes and their columns fit a second-level cache together. */
const BLOCK_RECORDS = 7168;
/** Bytes read at once: six blocks, about 1 MB. */
const PIECE_BYTES = 6 * BLOCK_RECORDS * RECORD_BYTES;

export interface OpenedLane {
  readonly info: LaneInfo;
  readonly files: LaneFiles;
}

/** Bytes of a segment file seen as records; the next piece overwrites them. */
export interface Piece {
  readonly bytes: Uint8Array;
  readonly words: Uint32Array;
}

export function newPiece(): Piece {
  const bytes = new Uint8Array(PIECE_BYTES);
  return { bytes, words: new Uint32Array(bytes.buffer) };
}

/** Reads a segment file into `piece` over and over; gives the number of whole records read each time. */
export function* readPieces(path: string, piece: Piece): Generator<number, void, undefined> {
  const fd = openRegular(path);
  try {
    let position = HEADER_BYTES;
    for (;;) {
      const filled = readFully(fd, piece.bytes, position);
      const records = Math.floor(filled / RECORD_BYTES);
      if (records > 0) yield records;
      if (filled < piece.bytes.length) return;
      position += filled;
    }
  } finally {
    closeSync(fd);
  }
}

/**
 * Streams the records of a run: lane after lane, each in the order it was written. A lane that is still being written
 * is read up to where it stands.
 */
export class LaneRecords implements RecordSource {
  readonly #lanes: readonly OpenedLane[];
  readonly #origin: bigint;
  readonly #problems: Warning[];
  readonly #table = new SubjectTable();

  constructor(lanes: readonly OpenedLane[], origin: bigint, problems: Warning[]) {
    this.#lanes = lanes;
    this.#origin = origin;
    this.#problems = problems;
  }

  get subjects(): readonly string[] {
    return this.#table.keys;
  }

  *blocks(): Generator<RecordBlock, void, undefined> {
    const piece = newPiece();
    const decoder = new RecordDecoder(BLOCK_RECORDS, this.#origin);
    for (const { info, files } of this.#lanes) {
      const dictionary = new LaneDictionary(this.#table, subject.lane);
      for (const segment of files.segments) {
        try {
          yield* segmentBlocks(segment.path, piece, decoder, dictionary, info);
        } catch (error) {
          if (!(error instanceof Error && 'syscall' in error)) throw error;
          this.#problems.push({
            code: 'VENTURI_WARN_LANE_UNREADABLE',
            message: `Lane ${info.name} was read in part: ${error.message}.`,
          });
        }
      }
    }
  }
}

function* segmentBlocks(
  path: string,
  piece: Piece,
  decoder: RecordDecoder,
  dictionary: LaneDictionary,
  lane: LaneInfo,
): Generator<RecordBlock, void, undefined> {
  for (const records of readPieces(path, piece)) {
    const end = records * RECORD_WORDS;
    for (let from = 0; from < end; from += BLOCK_RECORDS * RECORD_WORDS) {
      const to = Math.min(end, from + BLOCK_RECORDS * RECORD_WORDS);
      decoder.decode(piece.words, piece.bytes, from, to, dictionary);
      if (decoder.count > 0) yield decoder.block(lane);
      if (decoder.ended) return;
    }
  }
}
