import { closeSync, fstatSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { openRegular, readFully } from '../files/regular-file.ts';
import { KIND_OFFSET, RECORD_BYTES, RECORD_KIND, RECORD_WORDS, subject } from '../model/record.ts';
import type { RunManifest } from '../model/run.ts';
import type { LaneInfo, RecordBlock, RecordSource } from '../model/span.ts';
import { FolderWatch } from './folder-watch.ts';
import { HEADER_BYTES, laneInfo, readHeader } from './lane-header.ts';
import { MANIFEST_FILE } from './manifest.ts';
import { peekManifest } from './manifest-reader.ts';
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

export interface FollowOptions {
  readonly signal?: AbortSignal | undefined;
  /** Least time between two looks at the files. */
  readonly restMs?: number;
  /** Most time between two looks, where the system gives no notice of changes. */
  readonly everyMs?: number;
}

/** Why there is no more to follow; `abandoned`: whoever wrote it ended without the final mark. */
export type FollowEnd = 'complete' | 'abandoned' | 'stopped';

const REST_MS = 100;
const EVERY_MS = 1000;

/** A run while it is recorded: each call of `blocks` gives what was written since the one before, `follow` waits for more. */
export class RunFollower implements RecordSource {
  readonly #run: string;
  readonly #folder: string;
  readonly #origin: bigint;
  readonly #table = new SubjectTable();
  readonly #lanes = new Map<string, FollowedLane>();
  readonly #files = new Map<string, FollowedFile>();
  readonly #bytes = new Uint8Array(MOST_RECORDS * RECORD_BYTES);
  readonly #words = new Uint32Array(this.#bytes.buffer);
  #manifest: RunManifest | undefined;
  #manifestStamp = '';

  /** `origin`: the moment the run began, on the lanes' clock. */
  constructor(folder: string, origin: bigint) {
    this.#run = folder;
    this.#folder = join(folder, 'lanes');
    this.#origin = origin;
  }

  get subjects(): readonly string[] {
    return this.#table.keys;
  }

  /** Records as they are written, until the run has its final mark, all who write it have ended, or `signal` says so. */
  async *follow({
    signal,
    restMs = REST_MS,
    everyMs = EVERY_MS,
  }: FollowOptions = {}): AsyncGenerator<RecordBlock, FollowEnd, undefined> {
    const changes = new FolderWatch([this.#run, this.#folder], restMs, everyMs);
    try {
      for (let wasDead = false; signal?.aborted !== true; await changes.next(signal)) {
        // Asked before reading: then what was written before the end is among what is read.
        const state = this.#state();
        let isNews = false;
        for (const block of this.blocks()) {
          isNews = true;
          yield block;
        }
        if (state === 'complete') return 'complete';
        // Seen twice with nothing new between: the writers may be in a container whose process numbers are not ours.
        if (state === 'dead' && wasDead && !isNews) return 'abandoned';
        wasDead = state === 'dead';
      }
      return 'stopped';
    } finally {
      changes.close();
    }
  }

  /** `run.json` as it stands; undefined while there is none that is whole. It is read again only where it was replaced. */
  manifest(): RunManifest | undefined {
    const stat = statSync(join(this.#run, MANIFEST_FILE), { throwIfNoEntry: false });
    const stamp = stat === undefined ? '' : `${stat.ino} ${stat.size} ${stat.mtimeMs}`;
    if (stamp !== this.#manifestStamp || this.#manifest === undefined) this.#manifest = peekManifest(this.#run);
    this.#manifestStamp = stamp;
    return this.#manifest;
  }

  #state(): 'growing' | 'complete' | 'dead' {
    if (statSync(this.#run, { throwIfNoEntry: false }) === undefined) return 'dead';
    const manifest = this.manifest();
    if (manifest?.outcome !== undefined) return 'complete';
    const writers = [...this.#lanes.values()].map(({ info }) => info.pid);
    if (manifest !== undefined) writers.push(manifest.pid);
    return writers.length > 0 && !writers.some(isAlive) ? 'dead' : 'growing';
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
    const { uuid } = header;
    const lane = this.#lanes.get(uuid) ?? {
      info: laneInfo(header, uuid, this.#lanes.size, this.#origin),
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
      if (decoder.count > 0) yield decoder.block(info);
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

/** Whether there is a process of this number. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // There, and somebody else's.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
