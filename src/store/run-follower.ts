import { closeSync, fstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { openRegular } from '../files/regular-file.ts';
import { KIND_OFFSET, RECORD_BYTES, RECORD_KIND, RECORD_WORDS, subject } from '../model/record.ts';
import type { LaneInfo, RecordBlock, RecordSource } from '../model/span.ts';
import { readFully } from './lane-files.ts';
import { HEADER_BYTES, readHeader } from './lane-header.ts';
import { LaneDictionary, RecordDecoder, SubjectTable } from './record-decoder.ts';

interface FollowedLane {
  readonly info: LaneInfo;
  readonly dictionary: LaneDictionary;
  readonly decoder: RecordDecoder;
}

interface FollowedFile {
  readonly lane: FollowedLane;
  /** Bytes that were read. */
  position: number;
}

/** Records decoded at once. */
const MOST_RECORDS = 4096;

/** A run while it is recorded: each call of `blocks` gives what was written since the one before. */
export class RunFollower implements RecordSource {
  readonly #folder: string;
  readonly #origin: bigint;
  readonly #table = new SubjectTable();
  readonly #lanes = new Map<string, FollowedLane>();
  readonly #files = new Map<string, FollowedFile>();
  readonly #bytes = new Uint8Array(MOST_RECORDS * RECORD_BYTES);
  readonly #words = new Uint32Array(this.#bytes.buffer);

  /** `origin`: the moment the run began, on the lanes' clock. */
  constructor(folder: string, origin: bigint) {
    this.#folder = join(folder, 'lanes');
    this.#origin = origin;
  }

  get subjects(): readonly string[] {
    return this.#table.keys;
  }

  *blocks(): Generator<RecordBlock, void, undefined> {
    for (const name of this.#names()) {
      let fd: number | undefined;
      try {
        fd = openRegular(join(this.#folder, name));
        const file = this.#files.get(name) ?? this.#opened(name, fd);
        if (file !== undefined && fstatSync(fd).size >= file.position + RECORD_BYTES) yield* this.#news(fd, file);
      } catch (error) {
        // It made room for newer ones, or cannot be read just now.
        if (!(error instanceof Error && 'syscall' in error)) throw error;
      } finally {
        if (fd !== undefined) closeSync(fd);
      }
    }
  }

  /** In the order of their segments: a lane's later ones go on where the earlier ones end. */
  #names(): string[] {
    const segment = (name: string): number => Number(name.split('.').at(-2));
    try {
      const found = readdirSync(this.#folder).filter(name => name.endsWith('.lane'));
      return found.sort((a, b) => segment(a) - segment(b));
    } catch {
      return [];
    }
  }

  #opened(name: string, fd: number): FollowedFile | undefined {
    const bytes = new Uint8Array(HEADER_BYTES);
    const header = readHeader(bytes.subarray(0, readFully(fd, bytes, 0)));
    if (typeof header === 'string') return undefined;
    const { uuid, pid, tid } = header;
    const lane = this.#lanes.get(uuid) ?? {
      info: { index: this.#lanes.size, uuid, name: uuid, pid, tid, opened: Number(header.opened - this.#origin) },
      dictionary: new LaneDictionary(this.#table, subject.lane),
      decoder: new RecordDecoder(MOST_RECORDS, this.#origin),
    };
    this.#lanes.set(uuid, lane);
    const file = { lane, position: HEADER_BYTES };
    this.#files.set(name, file);
    return file;
  }

  *#news(fd: number, file: FollowedFile): Generator<RecordBlock, void, undefined> {
    const { info, dictionary, decoder } = file.lane;
    for (;;) {
      const records = this.#committed(readFully(fd, this.#bytes, file.position));
      if (records === 0) return;
      file.position += records * RECORD_BYTES;
      decoder.decode(this.#words, this.#bytes, 0, records * RECORD_WORDS, dictionary);
      const { count, kind, flags, subject: subjects, sequence, start, duration } = decoder;
      if (count > 0) yield { lane: info, count, kind, flags, subject: subjects, sequence, start, duration };
    }
  }

  /** Whole records, up to space that was allocated and not yet written. */
  #committed(filled: number): number {
    let records = 0;
    while (
      (records + 1) * RECORD_BYTES <= filled &&
      this.#bytes[records * RECORD_BYTES + KIND_OFFSET] !== RECORD_KIND.none
    ) {
      records++;
    }
    return records;
  }
}
