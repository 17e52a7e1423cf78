/** Place of a row in a viewer of traces: a process, and one of its tracks. The same track is the same object. */
export interface Track {
  readonly pid: number;
  readonly tid: number;
}

/** Batch on its way, by the process that prepared it and its task there: an arrow in a viewer. */
export interface Arrow {
  readonly pid: number;
  readonly task: number;
}

export interface ProcessEvent {
  readonly type: 'process';
  readonly pid: number;
  readonly name: string;
  /** Position among the processes; as the viewer likes where it is absent. */
  readonly order?: number;
}

export interface TrackEvent {
  readonly type: 'track';
  readonly track: Track;
  readonly name: string;
  readonly order?: number;
  /** Of a counter. */
  readonly unit?: string;
}

export interface SpanEvent {
  readonly type: 'span';
  readonly track: Track;
  readonly name: string;
  readonly category?: string | undefined;
  /** ns since the start of the run. */
  readonly start: number;
  readonly duration: number;
  readonly figure?: { readonly name: string; readonly value: number } | undefined;
  /** Arrow that leaves at its end. */
  readonly leaving?: Arrow | undefined;
  /** Arrow that arrives at its beginning. */
  readonly arriving?: Arrow | undefined;
}

export interface CounterEvent {
  readonly type: 'counter';
  readonly track: Track;
  readonly at: number;
  readonly value: number;
}

/** What a viewer of traces shows, before it is Chrome's, Perfetto's or OpenTelemetry's. Spans of one track nest or are disjoint. */
export type TraceEvent = ProcessEvent | TrackEvent | SpanEvent | CounterEvent;
