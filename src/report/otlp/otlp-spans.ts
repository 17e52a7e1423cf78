import { plainText } from '../plain-text.ts';
import type { SpanEvent, TraceEvent, Track } from '../trace/trace-event.ts';
import { numberAttribute, type OtlpAttribute, textAttribute } from './attributes.ts';

/** SPAN_KIND_INTERNAL. */
const INTERNAL = 1;

export interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: typeof INTERNAL;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly OtlpAttribute[];
  readonly status?: { readonly code: 1 | 2 };
}

/** Events as spans of OpenTelemetry below one root. Numbers of spans count up; memory is proportional to the number of tracks. */
export class OtlpSpans {
  readonly #traceId: string;
  readonly #startNs: bigint;
  readonly #tracks = new Map<Track, string>();
  readonly #processes = new Map<number, string>();
  readonly #root: string;
  #next = 1;

  /** `traceId`: 32 hexadecimal digits. `startNs`: Unix time from which events count. */
  constructor(traceId: string, startNs: bigint) {
    this.#traceId = traceId;
    this.#startNs = startNs;
    this.#root = this.#spanId();
  }

  /** Spans of these events. Counters have none. */
  spans(events: Iterable<TraceEvent>): OtlpSpan[] {
    const spans: OtlpSpan[] = [];
    for (const event of events) {
      if (event.type === 'process') this.#processes.set(event.pid, event.name);
      else if (event.type === 'track') this.#tracks.set(event.track, event.name);
      else if (event.type === 'span') spans.push(this.#span(event));
    }
    return spans;
  }

  /** The span around all of them. */
  root(name: string, durationNs: number, isFine: boolean, attributes: readonly OtlpAttribute[]): OtlpSpan {
    return {
      traceId: this.#traceId,
      spanId: this.#root,
      name: plainText(name),
      kind: INTERNAL,
      startTimeUnixNano: this.#moment(0),
      endTimeUnixNano: this.#moment(durationNs),
      attributes,
      status: { code: isFine ? 1 : 2 },
    };
  }

  #span({ track, name, category, start, duration, figure }: SpanEvent): OtlpSpan {
    return {
      traceId: this.#traceId,
      spanId: this.#spanId(),
      parentSpanId: this.#root,
      name: plainText(name),
      kind: INTERNAL,
      startTimeUnixNano: this.#moment(start),
      endTimeUnixNano: this.#moment(start + Math.max(0, duration)),
      attributes: [
        textAttribute('venturi.track', this.#tracks.get(track) ?? ''),
        textAttribute('venturi.process', this.#processes.get(track.pid) ?? ''),
        ...(category === undefined ? [] : [textAttribute('venturi.category', category)]),
        ...(figure === undefined ? [] : [numberAttribute(`venturi.${figure.name}`, figure.value)]),
      ],
    };
  }

  #moment(ns: number): string {
    const moment = this.#startNs + BigInt(Math.round(ns));
    return String(moment < 0n ? 0n : moment);
  }

  #spanId(): string {
    return (this.#next++).toString(16).padStart(16, '0');
  }
}
