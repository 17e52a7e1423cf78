import { randomUUID } from 'node:crypto';
import { closeSync, ftruncateSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import {
  KIND_OFFSET,
  MAX_U48,
  RECORD_BYTES,
  RECORD_KIND,
  RECORD_WORDS,
  subject as subjectKey,
  writeRecord,
} from '../model/record.ts';
import { HEADER_BYTES, laneFileName, writeHeader } from './lane-header.ts';
import { laneWarning } from './lane-warnings.ts';
import { textParts, writeTextPart } from './text-entry.ts';

/** Writes `length` bytes at `position` and says how many it managed, as `fs.writeSync` does. */
export type WriteAt = (fd: number, bytes: Uint8Array, offset: number, length: number, position: number) => number;

export interface LaneOptions {
  /** Unique in the run: `decode#1`. */
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** ns since boot at which the process started, where known. */
  readonly processStart?: bigint;
  /** CLOCK_MONOTONIC ns; now unless given. */
  readonly opened?: bigint;
  readonly uuid?: string;
  /** Bytes this lane may take on disk; the oldest spans make room for new ones. At least `SMALLEST_CAP`. */
  readonly maxBytes?: number;
  /** The part of the run's folder that holds its file. */
  readonly within?: 'lanes' | 'samples';
  /** Stands in for `fs.writeSync`. */
  readonly write?: WriteAt;
}

const BUFFER_BYTES = 4096 * RECORD_BYTES;
const FIRST_STEP = 256 * 1024;
const LARGEST_STEP = 1024 * 1024;
/** A cap below this is raised to it. */
export const SMALLEST_CAP = 256 * 1024;
/** Segments a capped lane keeps: its first and the latest three. */
const SEGMENTS_KEPT = 4;
/** The first bytes of a record, up to and with its commit mark; 16 so that both writes of a flush stay aligned. */
const COMMIT_BYTES = KIND_OFFSET + 2;

const zeros = new Uint8Array(FIRST_STEP);

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'no space is left on the device',
  EDQUOT: 'the disk quota is used up',
  EIO: 'the device reported an error',
  EROFS: 'the file system is read-only',
};

/**
 * Appends the records of one lane to its file. For one thread; it takes no locks and never throws: when the disk
 * fails it, the lane stops with one warning and the program goes on.
 *
 * Moments are CLOCK_MONOTONIC ns as a plain number. A double holds them exactly for 104 days of uptime and to 2 ns
 * for the next 104, finer than the clock's own steps.
 *
 * Records gather in a private buffer. Node can neither map nor reserve file space, so the lane writes zeros ahead and
 * overwrites them: a full disk is met there, between records, and what was accepted always has its room.
 */
export class LaneWriter {
  readonly uuid: string;
  readonly name: string;
  readonly #folder: string;
  readonly #options: LaneOptions;
  readonly #opened: bigint;
  readonly #write: WriteAt;
  readonly #segmentBytes: number;
  readonly #words: Uint32Array<ArrayBuffer>;
  readonly #bytes: Uint8Array;
  readonly #numbers = new Map<string, number>();
  readonly #texts: string[] = [];
  readonly #warnings: string[] = [];

  #fd = -1;
  #segment = 0;
  /** Where in the file the buffer's first byte belongs. */
  #position = 0;
  #allocated = 0;
  #step = FIRST_STEP;
  /** Words of the buffer in use, and those that have a place in the file. */
  #used = 0;
  #limit = 0;
  #stopped = false;
  #clamped = false;
  #rotated = false;
  #subject = 0;
  #sequence = 0;

  constructor(folder: string, options: LaneOptions) {
    this.uuid = options.uuid ?? randomUUID();
    this.name = options.name;
    this.#folder = join(folder, options.within ?? 'lanes');
    this.#options = options;
    this.#opened = options.opened ?? process.hrtime.bigint();
    this.#write = options.write ?? writeSync;
    this.#segmentBytes =
      options.maxBytes === undefined
        ? Number.POSITIVE_INFINITY
        : wholeRecords(Math.max(options.maxBytes, SMALLEST_CAP) / SEGMENTS_KEPT);
    this.#words = new Uint32Array(wholeRecords(Math.min(BUFFER_BYTES, this.#segmentBytes)) / 4);
    this.#bytes = new Uint8Array(this.#words.buffer);
    this.#numbers.set(subjectKey.lane, 0);
    this.#texts.push(options.name);
    this.#openSegment();
    this.flush();
  }

  /** What was lost, each kind of loss told once. */
  get warnings(): readonly string[] {
    return this.#warnings;
  }

  /** Nothing more is recorded: the lane was closed, or its disk failed. */
  get stopped(): boolean {
    return this.#stopped;
  }

  /** This lane's number for a subject key; the first use writes it into the lane's dictionary. */
  subjectNumber(key: string): number {
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#texts.length;
    this.#numbers.set(key, number);
    // A new segment opens with the whole dictionary, so an entry may not be divided between two.
    if (this.#position + this.#used * 4 + textParts(key).length * RECORD_BYTES > this.#segmentBytes) {
      this.flush();
      this.#rotate();
    }
    this.#putText(number, key);
    this.#texts.push(key);
    return number;
  }

  span(subject: number, sequence: number, startNs: number, durationNs: number): void {
    this.#subject = subject;
    this.#sequence = sequence;
    this.#put(RECORD_KIND.span, 0, subject, sequence, startNs, durationNs);
  }

  /** CPU and run-queue delay of the span before it. Continuations repeat its subject and sequence. */
  cpu(cpuNs: number, runDelayNs: number): void {
    this.#put(RECORD_KIND.cpu, 0, this.#subject, this.#sequence, cpuNs, runDelayNs);
  }

  bytes(bytesIn: number, bytesOut: number): void {
    this.#put(RECORD_KIND.bytes, 0, this.#subject, this.#sequence, bytesIn, bytesOut);
  }

  elements(elementsIn: number, elementsOut: number): void {
    this.#put(RECORD_KIND.elements, 0, this.#subject, this.#sequence, elementsIn, elementsOut);
  }

  counter(subject: number, metricCode: number, timeNs: number, value: number, window: number): void {
    this.#put(RECORD_KIND.counter, metricCode, subject, window, timeNs, value);
  }

  /** A profiler's hit in thread `tid`, of the event numbered `event`; `weight` events since the one before. */
  sample(subject: number, tid: number, timeNs: number, weight: number, event: number): void {
    this.#put(RECORD_KIND.sample, event, subject, tid, timeNs, weight);
  }

  /** At `monotonicNs` on this lane's clock, the clock of `domain` showed `value` ns. */
  clockSnapshot(domain: string, monotonicNs: number, value: bigint): void {
    const number = this.subjectNumber(subjectKey.clock(domain));
    // The pair stays together, also across segments.
    if (this.#used + 2 * RECORD_WORDS > this.#limit && !this.#makeRoom(2)) return;
    this.#put(RECORD_KIND.clock, 0, number, 0, monotonicNs, 0);
    const at = this.#used;
    this.#put(RECORD_KIND.clockValue, 0, number, 0, 0, 0);
    // A wall clock's ns exceed what a double holds exactly.
    this.#words[at] = Number(BigInt.asUintN(32, value));
    this.#words[at + 1] = Number(BigInt.asUintN(32, value >> 32n));
  }

  /** Hands the gathered records to the file, where readers see them. */
  flush(): void {
    if (this.#stopped || this.#used === 0) return;
    const length = this.#used * 4;
    try {
      // The first record's commit mark goes last: readers, and a kill in between, see all of a flush or none of it.
      this.#writeAll(this.#bytes, COMMIT_BYTES, length - COMMIT_BYTES, this.#position + COMMIT_BYTES);
      this.#writeAll(this.#bytes, 0, COMMIT_BYTES, this.#position);
    } catch (error) {
      this.#stop(error);
      return;
    }
    this.#position += length;
    this.#used = 0;
    this.#setLimit();
  }

  /** Marks the lane as closed in good order and cuts its file to its length. */
  close(timeNs = Number(process.hrtime.bigint())): void {
    this.#put(RECORD_KIND.end, 0, 0, 0, timeNs, 0);
    this.flush();
    this.#closeFile();
    this.#stopped = true;
    this.#limit = 0;
  }

  #put(kind: number, flags: number, subject: number, sequence: number, start: number, duration: number): void {
    if (this.#used >= this.#limit && !this.#makeRoom(1)) return;
    // Written so that NaN becomes 0, as negative values do.
    if (!(start >= 0)) start = 0;
    if (!(duration >= 0)) duration = 0;
    else if (duration > MAX_U48) duration = this.#clamp();
    writeRecord(this.#words, this.#used, kind, flags, subject, sequence, start, duration);
    this.#used += RECORD_WORDS;
  }

  #putText(number: number, text: string): void {
    const parts = textParts(text);
    for (let index = 0; index < parts.length; index++) {
      if (this.#used >= this.#limit && !this.#makeRoom(1)) return;
      writeTextPart(this.#words, this.#bytes, this.#used, number, parts, index);
      this.#used += RECORD_WORDS;
    }
  }

  #clamp(): number {
    if (!this.#clamped) this.#warn('holds a value above 2^48-1, which was lowered to that.');
    this.#clamped = true;
    return MAX_U48;
  }

  #makeRoom(records: number): boolean {
    this.flush();
    if (!this.#stopped && this.#position + records * RECORD_BYTES > this.#segmentBytes) this.#rotate();
    if (!this.#stopped && this.#used + records * RECORD_WORDS > this.#limit) this.#allocate();
    return !this.#stopped;
  }

  #setLimit(): void {
    this.#limit = Math.min(this.#words.length, wholeRecords(this.#allocated - this.#position) / 4);
  }

  /** Writes zeros ahead, so that the buffer has a place in the file whatever happens to the disk afterwards. */
  #allocate(): void {
    const target = Math.min(this.#allocated + this.#step, this.#segmentBytes);
    this.#step = Math.min(this.#step * 2, LARGEST_STEP);
    try {
      while (this.#allocated < target) {
        const length = Math.min(zeros.length, target - this.#allocated);
        this.#writeAll(zeros, 0, length, this.#allocated);
        this.#allocated += length;
      }
    } catch (error) {
      this.#stop(error);
      return;
    }
    this.#setLimit();
  }

  #openSegment(): void {
    const dictionary = this.#texts.reduce((sum, text) => sum + textParts(text).length * RECORD_BYTES, HEADER_BYTES);
    if (dictionary + this.#words.length * 2 > this.#segmentBytes) {
      this.#stop(undefined, 'its dictionary leaves too little room under its size cap');
      return;
    }
    try {
      this.#fd = openSync(join(this.#folder, laneFileName(this.uuid, this.#segment)), 'wx');
    } catch (error) {
      this.#stop(error);
      return;
    }
    this.#position = 0;
    this.#allocated = 0;
    this.#allocate();
    if (this.#stopped) return;
    writeHeader(this.#bytes, {
      uuid: this.uuid,
      pid: this.#options.pid,
      tid: this.#options.tid,
      processStart: this.#options.processStart ?? 0n,
      opened: this.#opened,
      segment: this.#segment,
    });
    this.#used = HEADER_BYTES / 4;
    for (const [number, text] of this.#texts.entries()) this.#putText(number, text);
  }

  /** Begins the next segment; once the cap is reached, the oldest but the first is deleted for it. */
  #rotate(): void {
    if (this.#stopped) return;
    this.#closeFile();
    this.#segment++;
    const oldest = this.#segment - (SEGMENTS_KEPT - 1);
    if (oldest >= 1) {
      try {
        rmSync(join(this.#folder, laneFileName(this.uuid, oldest)), { force: true });
      } catch (error) {
        this.#stop(error);
        return;
      }
      if (!this.#rotated) this.#warn('reached its size cap: spans from the middle of the run were rotated out.');
      this.#rotated = true;
    }
    this.#openSegment();
  }

  #closeFile(): void {
    if (this.#fd === -1) return;
    try {
      ftruncateSync(this.#fd, this.#position);
    } catch {
      // The zeros stay; a reader stops at them.
    }
    try {
      closeSync(this.#fd);
    } catch {
      // Every byte was handed over before; there is nothing left to lose.
    }
    this.#fd = -1;
  }

  #stop(error: unknown, reason = reasonOf(error)): void {
    this.#closeFile();
    this.#stopped = true;
    this.#used = 0;
    this.#limit = 0;
    this.#warn(`no longer recorded: ${reason}. What it wrote before stays readable.`);
  }

  #warn(what: string): void {
    this.#warnings.push(laneWarning(this.name, what));
  }

  #writeAll(bytes: Uint8Array, offset: number, length: number, position: number): void {
    while (length > 0) {
      const written = this.#write(this.#fd, bytes, offset, length, position);
      offset += written;
      length -= written;
      position += written;
    }
  }
}

const wholeRecords = (bytes: number): number =>
  bytes === Number.POSITIVE_INFINITY ? bytes : Math.floor(bytes / RECORD_BYTES) * RECORD_BYTES;

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? String(error.code) : '';
  return code === '' ? error.message : `${REASONS[code] ?? 'the file system refused'} (${code})`;
}

/** Opens the file of one lane inside a run's folder. Where that fails, the lane is stopped from the start. */
export const openLane = (folder: string, options: LaneOptions): LaneWriter => new LaneWriter(folder, options);
