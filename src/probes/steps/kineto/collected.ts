import { GrowingColumn } from '../../../model/growing-column.ts';
import type { Collective } from '../../../model/step-trace.ts';
import { TextTable } from '../chrome/text-table.ts';
import type { KinetoParser } from './arguments.ts';
import { CATEGORY, type Category, categoryOf, isOnDevice } from './category.ts';
import { collectiveOf } from './collective.ts';

const COMPLETE_EVENT = 'X'.charCodeAt(0);

/** Events of a trace that are kept, in columns, in the order of the file. */
export class Collected {
  readonly names = new TextTable();
  readonly category = new GrowingColumn(Uint8Array);
  readonly name = new GrowingColumn(Uint32Array);
  readonly track = new GrowingColumn(Uint32Array);
  /** ns from `baseMicros`. */
  readonly start = new GrowingColumn(Float64Array);
  readonly duration = new GrowingColumn(Float64Array);
  readonly correlation = new GrowingColumn(Float64Array);
  readonly bytes = new GrowingColumn(Float64Array);
  /** Of an operator: its number in an execution trace of the same run; older profilers call it the external id. */
  readonly record = new GrowingColumn(Float64Array);
  readonly collective = new GrowingColumn(Int32Array);
  /** Of a `cuda_sync` event: the stream that is waited for, and the call that recorded the event. */
  readonly waitsOnStream = new GrowingColumn(Int32Array);
  readonly waitsOnRecord = new GrowingColumn(Float64Array);
  readonly collectives: Collective[] = [];
  /** What `track` numbers: a thread of a process, or a stream of a device. */
  readonly tracks: { readonly process: string; readonly thread: string }[] = [];
  baseMicros = Number.NaN;
  /** Complete events that were met, and those that were left out for want of times. */
  met = 0;
  damaged = 0;
  frames = 0;
  readonly unknown = new Map<string, number>();
  readonly #parser: KinetoParser;
  readonly #texts = new TextTable();
  readonly #categories: Category[] = [];
  readonly #trackOf = new Map<number, number>();

  constructor(parser: KinetoParser) {
    this.#parser = parser;
  }

  get count(): number {
    return this.name.length;
  }

  /** Keeps the event that was parsed last, where it says something of a step. */
  add(): void {
    const parser = this.#parser;
    if (parser.phase() !== COMPLETE_EVENT) return;
    this.met++;
    const category = this.#category();
    if (category === CATEGORY.frame) this.frames++;
    if (category === CATEGORY.none || category === CATEGORY.frame) return;
    const start = parser.time('ts');
    if (start === undefined) {
      this.damaged++;
      return;
    }
    if (Number.isNaN(this.baseMicros)) this.baseMicros = start.whole;
    const startNs = start.from(this.baseMicros);
    const duration = parser.time('dur')?.from(0) ?? Number.NaN;
    if (!(duration >= 0) || Math.abs(startNs) > Number.MAX_SAFE_INTEGER) {
      this.damaged++;
      return;
    }
    const [nameStart, nameEnd] = parser.place('name');
    const isSync = category === CATEGORY.sync;
    this.category.push(category);
    this.name.push(this.names.number(parser.bytes, Math.max(0, nameStart), Math.max(0, nameEnd)));
    this.track.push(this.#track(isOnDevice(category) || isSync));
    this.start.push(startNs);
    this.duration.push(duration);
    this.correlation.push(parser.number('correlation'));
    this.bytes.push(isOnDevice(category) ? parser.number('bytes') : Number.NaN);
    const record = parser.number('Record function id');
    this.record.push(isOnDevice(category) || !Number.isNaN(record) ? record : parser.number('External id'));
    this.collective.push(this.#collective(category, nameStart, nameEnd));
    this.waitsOnStream.push(isSync ? parser.number('wait_on_stream') : -1);
    this.waitsOnRecord.push(isSync ? parser.number('wait_on_cuda_event_record_corr_id') : Number.NaN);
  }

  #category(): Category {
    const [start, end] = this.#parser.place('cat');
    if (start < 0) return CATEGORY.none;
    const number = this.#texts.number(this.#parser.bytes, start, end);
    const known = this.#categories[number];
    if (known !== undefined) return known;
    const category = categoryOf(this.#texts.text(number));
    this.#categories[number] = category;
    return category;
  }

  /** Stream of a device by its arguments, which all generations have; a thread by its process. */
  #track(isDevice: boolean): number {
    const parser = this.#parser;
    const process = this.#text('pid');
    const thread = this.#text('tid');
    const key = process * 2 ** 26 + thread;
    const known = this.#trackOf.get(key);
    if (known !== undefined) return known;
    const device = parser.number('device');
    const stream = parser.number('stream');
    const named = isDevice && !Number.isNaN(device) && !Number.isNaN(stream);
    const track = this.tracks.push({
      process: named ? String(device) : this.#texts.text(process),
      thread: named ? String(stream) : this.#texts.text(thread),
    });
    this.#trackOf.set(key, track - 1);
    return track - 1;
  }

  #text(member: 'pid' | 'tid'): number {
    const [start, end] = this.#parser.place(member);
    return start < 0
      ? this.#texts.number(this.#parser.bytes, 0, 0)
      : this.#texts.number(this.#parser.bytes, start, end);
  }

  #collective(category: Category, nameStart: number, nameEnd: number): number {
    if (category === CATEGORY.copy || category === CATEGORY.runtime) return -1;
    const collective = collectiveOf(this.#parser, nameStart, nameEnd);
    return collective === undefined ? -1 : this.collectives.push(collective) - 1;
  }
}
