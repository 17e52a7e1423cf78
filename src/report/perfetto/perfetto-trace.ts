import { plainText } from '../plain-text.ts';
import { ProtobufWriter } from '../protobuf.ts';
import type { CounterEvent, SpanEvent, TraceEvent, Track } from '../trace/trace-event.ts';

/** Numbers of fields, as in https://github.com/google/perfetto/blob/main/protos/perfetto/trace/perfetto_trace.proto. */
const TRACE = { packet: 1 } as const;
const PACKET = {
  timestamp: 8,
  sequenceId: 10,
  trackEvent: 11,
  internedData: 12,
  sequenceFlags: 13,
  trackDescriptor: 60,
} as const;
const DESCRIPTOR = { uuid: 1, name: 2, process: 3, parent: 5, counter: 8, childOrdering: 11, rank: 12 } as const;
const PROCESS = { pid: 1, name: 6 } as const;
const COUNTER = { unitName: 6 } as const;
const EVENT = {
  categoryIds: 3,
  annotations: 4,
  type: 9,
  nameId: 10,
  track: 11,
  counterValue: 30,
  flows: 47,
  endingFlows: 48,
} as const;
const ANNOTATION = { nameId: 1, number: 3 } as const;
const INTERNED = { categories: 1, names: 2, annotationNames: 3 } as const;
const TYPE = { begin: 1, end: 2, counter: 4 } as const;
const STATE_CLEARED = 1;
const NEEDS_STATE = 2;
const EXPLICIT_ORDER = 3;
/** All packets are of one sequence, which shares the numbers of names. */
const SEQUENCE = 1;

/**
 * Events as packets of Perfetto's own format, in pieces that can be appended to one file: a trace is nothing but its packets. Moments
 * are ns from the start of the run. Names are written once and numbered; memory is proportional to names, tracks and the piece.
 */
export class PerfettoTrace {
  readonly #writer: ProtobufWriter;
  readonly #uuids = new Map<Track, number>();
  readonly #processes = new Map<number, number>();
  readonly #names = new Map<string, number>();
  readonly #categories = new Map<string, number>();
  readonly #annotations = new Map<string, number>();
  #next = 1;
  #isFirst = true;

  constructor(utf8: (text: string) => Uint8Array) {
    this.#writer = new ProtobufWriter(utf8);
  }

  /** Packets of these events. */
  packets(events: Iterable<TraceEvent>): Uint8Array {
    const spans = new Map<Track, SpanEvent[]>();
    for (const event of events) {
      switch (event.type) {
        case 'process':
          this.#process(event.pid, event.name);
          break;
        case 'track':
          this.#track(event.track, event.name, event.order, event.unit);
          break;
        case 'counter':
          this.#counter(event);
          break;
        case 'span': {
          const own = spans.get(event.track);
          if (own === undefined) spans.set(event.track, [event]);
          else own.push(event);
        }
      }
    }
    for (const own of spans.values()) this.#nested(own);
    return this.#writer.take();
  }

  /** Beginnings and ends of a track. Readers order them by time and keep the order of packets where moments are the same. */
  #nested(spans: SpanEvent[]): void {
    spans.sort((a, b) => a.start - b.start || b.duration - a.duration);
    const open: SpanEvent[] = [];
    const endOf = ({ start, duration }: SpanEvent): number => start + Math.max(0, duration);
    const close = (before: number): void => {
      for (let last = open.at(-1); last !== undefined && endOf(last) <= before; last = open.at(-1)) {
        open.pop();
        this.#end(last.track, endOf(last));
      }
    };
    for (const span of spans) {
      close(span.start);
      this.#begin(span);
      open.push(span);
    }
    close(Number.POSITIVE_INFINITY);
  }

  #begin({ track, name, category, start, figure, leaving, arriving }: SpanEvent): void {
    const news: (() => void)[] = [];
    const nameId = this.#numbered(this.#names, plainText(name), INTERNED.names, news);
    const categoryId =
      category === undefined ? undefined : this.#numbered(this.#categories, category, INTERNED.categories, news);
    const figureId =
      figure === undefined ? undefined : this.#numbered(this.#annotations, figure.name, INTERNED.annotationNames, news);
    const writer = this.#writer;
    this.#packet(start, () => {
      if (news.length > 0) {
        writer.message(PACKET.internedData, () => {
          for (const write of news) write();
        });
      }
      writer.message(PACKET.trackEvent, () => {
        writer.number(EVENT.type, TYPE.begin).number(EVENT.track, this.#uuidOf(track)).number(EVENT.nameId, nameId);
        if (categoryId !== undefined) writer.number(EVENT.categoryIds, categoryId);
        if (leaving !== undefined) writer.fixed64(EVENT.flows, leaving.pid, leaving.task);
        if (arriving !== undefined) writer.fixed64(EVENT.endingFlows, arriving.pid, arriving.task);
        if (figureId !== undefined && figure !== undefined) {
          writer.message(EVENT.annotations, () =>
            writer.number(ANNOTATION.nameId, figureId).number(ANNOTATION.number, figure.value),
          );
        }
      });
    });
  }

  #end(track: Track, at: number): void {
    this.#packet(at, () =>
      this.#writer.message(PACKET.trackEvent, () =>
        this.#writer.number(EVENT.type, TYPE.end).number(EVENT.track, this.#uuidOf(track)),
      ),
    );
  }

  #counter({ track, at, value }: CounterEvent): void {
    this.#packet(at, () =>
      this.#writer.message(PACKET.trackEvent, () =>
        this.#writer
          .number(EVENT.type, TYPE.counter)
          .number(EVENT.track, this.#uuidOf(track))
          .number(EVENT.counterValue, value),
      ),
    );
  }

  #process(pid: number, name: string): void {
    const uuid = this.#next++;
    this.#processes.set(pid, uuid);
    this.#descriptor(uuid, () => {
      this.#writer.message(DESCRIPTOR.process, () =>
        this.#writer.number(PROCESS.pid, pid).text(PROCESS.name, plainText(name)),
      );
      this.#writer.number(DESCRIPTOR.childOrdering, EXPLICIT_ORDER);
    });
  }

  #track(track: Track, name: string, order: number | undefined, unit: string | undefined): void {
    const parent = this.#processes.get(track.pid);
    this.#descriptor(this.#uuidOf(track), () => {
      this.#writer.text(DESCRIPTOR.name, plainText(name));
      if (parent !== undefined) this.#writer.number(DESCRIPTOR.parent, parent);
      if (unit !== undefined) this.#writer.message(DESCRIPTOR.counter, () => this.#writer.text(COUNTER.unitName, unit));
      this.#writer.number(DESCRIPTOR.rank, order ?? track.tid);
    });
  }

  #descriptor(uuid: number, write: () => void): void {
    this.#packet(undefined, () =>
      this.#writer.message(PACKET.trackDescriptor, () => {
        this.#writer.number(DESCRIPTOR.uuid, uuid);
        write();
      }),
    );
  }

  #packet(at: number | undefined, write: () => void): void {
    const writer = this.#writer;
    writer.message(TRACE.packet, () => {
      // Moments before the start of the run, which a clock that was set back may give, are moved to it.
      if (at !== undefined) writer.number(PACKET.timestamp, at);
      writer
        .number(PACKET.sequenceId, SEQUENCE)
        .number(PACKET.sequenceFlags, this.#isFirst ? STATE_CLEARED + NEEDS_STATE : NEEDS_STATE);
      this.#isFirst = false;
      write();
    });
  }

  #uuidOf(track: Track): number {
    const known = this.#uuids.get(track);
    if (known !== undefined) return known;
    const uuid = this.#next++;
    this.#uuids.set(track, uuid);
    return uuid;
  }

  /** Number of a text; `news` gets what tells it, the first time. */
  #numbered(known: Map<string, number>, text: string, field: number, news: (() => void)[]): number {
    const before = known.get(text);
    if (before !== undefined) return before;
    const number = known.size + 1;
    known.set(text, number);
    news.push(() => this.#writer.message(field, () => this.#writer.number(1, number).text(2, text)));
    return number;
  }
}
