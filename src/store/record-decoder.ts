import { RECORD_KIND, RECORD_WORDS } from '../model/record.ts';
import type { LaneInfo, RecordBlock } from '../model/span.ts';
import { TextAssembler } from './text-entry.ts';

const U32 = 2 ** 32;
const LAST_KIND = RECORD_KIND.sample;

/** Kinds whose `start` is a plain value, not a moment. */
const CONTINUATION: Uint8Array = Uint8Array.from({ length: LAST_KIND + 1 }, (_, kind) =>
  kind === RECORD_KIND.cpu ||
  kind === RECORD_KIND.bytes ||
  kind === RECORD_KIND.elements ||
  kind === RECORD_KIND.task ||
  kind === RECORD_KIND.clockValue
    ? 1
    : 0,
);

/** An `inner` record holds up to two spans. */
const ROWS_PER_RECORD = 2;

/** Numbers above this come from damage, not from a lane with that many operators. */
const MAX_LOCAL_NUMBER = 2 ** 20;

/** Subject keys numbered across all lanes of a run. */
export class SubjectTable {
  readonly keys: string[] = [];
  readonly #numbers = new Map<string, number>();

  number(key: string): number {
    let number = this.#numbers.get(key);
    if (number === undefined) {
      number = this.keys.length;
      this.#numbers.set(key, number);
      this.keys.push(key);
    }
    return number;
  }
}

/** One lane's dictionary as far as it was read: local number → run-wide number. */
export class LaneDictionary {
  /** -1 where the lane has not named the number. */
  numbers = new Int32Array(64).fill(-1);
  readonly #assembler = new TextAssembler();
  readonly #table: SubjectTable;
  readonly #laneKey: string;

  /** Local number 0 is the lane itself and goes by `laneKey`, whatever its name. */
  constructor(table: SubjectTable, laneKey: string) {
    this.#table = table;
    this.#laneKey = laneKey;
  }

  accept(bytes: Uint8Array, at: number): void {
    const entry = this.#assembler.accept(bytes, at);
    if (entry === undefined || entry.number > MAX_LOCAL_NUMBER) return;
    if (entry.number >= this.numbers.length) {
      const grown = new Int32Array(2 ** Math.ceil(Math.log2(entry.number + 1))).fill(-1);
      grown.set(this.numbers);
      this.numbers = grown;
    }
    this.numbers[entry.number] = this.#table.number(entry.number === 0 ? this.#laneKey : entry.text);
  }
}

/** Turns records into columns that are used over and over. */
export class RecordDecoder {
  readonly kind: Uint8Array;
  readonly flags: Uint8Array;
  readonly subject: Int32Array;
  readonly sequence: Uint32Array;
  readonly start: Float64Array;
  readonly duration: Float64Array;
  /** Records the last call put into the columns. */
  count = 0;
  /** The last call met space that was allocated and not yet written. */
  ended = false;
  /** The last span so far: what `inner` records lie in. */
  #outerStart = 0;
  #outerSequence = 0;

  readonly #originLow: number;
  readonly #originHigh: number;

  /** `origin`: the moment, on the lanes' clock, from which times are counted. */
  constructor(capacity: number, origin: bigint) {
    const rows = capacity * ROWS_PER_RECORD;
    this.kind = new Uint8Array(rows);
    this.flags = new Uint8Array(rows);
    this.subject = new Int32Array(rows);
    this.sequence = new Uint32Array(rows);
    this.start = new Float64Array(rows);
    this.duration = new Float64Array(rows);
    this.#originLow = Number(BigInt.asUintN(32, origin));
    this.#originHigh = Number(BigInt.asUintN(32, origin >> 32n));
  }

  /** Decodes the records in words `from` to `to`, at most `capacity` of them. Unknown kinds are passed over. */
  decode(words: Uint32Array, bytes: Uint8Array, from: number, to: number, dictionary: LaneDictionary): void {
    const { kind: kinds, flags, subject, sequence, start, duration } = this;
    const originLow = this.#originLow;
    const originHigh = this.#originHigh;
    let numbers = dictionary.numbers;
    let count = 0;
    this.ended = false;
    for (let at = from; at < to; at += RECORD_WORDS) {
      const mark = words[at + 3] as number;
      const kind = (mark >>> 16) & 0xff;
      if (kind <= RECORD_KIND.text) {
        if (kind === RECORD_KIND.none) {
          this.ended = true;
          break;
        }
        dictionary.accept(bytes, at * 4);
        numbers = dictionary.numbers;
        continue;
      }
      if (kind >= RECORD_KIND.inner) {
        if (kind > LAST_KIND) continue;
        if (kind === RECORD_KIND.inner) {
          count = this.#unpack(words, at, count, numbers);
          continue;
        }
      }
      const low = words[at] as number;
      const high = words[at + 1] as number;
      const local = words[at + 4] as number;
      kinds[count] = kind;
      flags[count] = mark >>> 24;
      subject[count] = local < numbers.length ? (numbers[local] as number) : -1;
      sequence[count] = words[at + 5] as number;
      // Word by word, so that no digit is lost: a moment itself may exceed what a double holds.
      start[count] = CONTINUATION[kind] === 1 ? high * U32 + low : (high - originHigh) * U32 + (low - originLow);
      duration[count] = (mark & 0xffff) * U32 + (words[at + 2] as number);
      count++;
    }
    this.count = count;
    this.#findOuter(count);
  }

  /** What the last call decoded, of a lane. */
  block(lane: LaneInfo): RecordBlock {
    const { count, kind, flags, subject, sequence, start, duration } = this;
    return { lane, count, kind, flags, subject, sequence, start, duration };
  }

  /** The last span among the rows so far; where there is none, the one of an earlier call stays. */
  #findOuter(count: number): void {
    for (let row = count - 1; row >= 0; row--) {
      if (this.kind[row] !== RECORD_KIND.span) continue;
      this.#outerStart = this.start[row] as number;
      this.#outerSequence = this.sequence[row] as number;
      return;
    }
  }

  /** The spans of an `inner` record, after row `count`; gives the number of rows then. */
  #unpack(words: Uint32Array, at: number, count: number, numbers: Int32Array): number {
    this.#findOuter(count);
    const first = (words[at + 3] as number) & 0xffff;
    count = this.#inner(count, numbers, first, words[at] as number, words[at + 1] as number);
    return this.#inner(count, numbers, words[at + 5] as number, words[at + 2] as number, words[at + 4] as number);
  }

  #inner(count: number, numbers: Int32Array, local: number, offset: number, duration: number): number {
    if (local === 0) return count;
    this.kind[count] = RECORD_KIND.inner;
    this.flags[count] = 0;
    this.subject[count] = local < numbers.length ? (numbers[local] as number) : -1;
    this.sequence[count] = this.#outerSequence;
    this.start[count] = this.#outerStart + offset;
    this.duration[count] = duration;
    return count + 1;
  }
}
