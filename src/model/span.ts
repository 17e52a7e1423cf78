/** Facts of one lane file: what its header says, and how its reading ended. */
export interface LaneInfo {
  /** Position in the run's list of lanes. */
  readonly index: number;
  readonly uuid: string;
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** When the lane was opened, ns since the run's start. */
  readonly opened: number;
}

/**
 * A block of records in columns, valid until the next one is asked for (its arrays are reused).
 * A packed record is as many rows as it holds spans: their kind is `inner`, their sequence that of the span they lie in.
 * `subject` is the run-wide number of the record's subject; -1 where the lane never named it.
 */
export interface RecordBlock {
  readonly lane: LaneInfo;
  readonly count: number;
  readonly kind: Uint8Array;
  readonly flags: Uint8Array;
  readonly subject: Int32Array;
  readonly sequence: Uint32Array;
  /** ns since the run's start for spans, counters and snapshots; the plain value in continuation records. */
  readonly start: Float64Array;
  readonly duration: Float64Array;
}

/** Streams the bulk of a run. Memory stays flat however long the run is. */
export interface RecordSource {
  /** Subject keys by run-wide number; grows while blocks are read. */
  readonly subjects: readonly string[];
  blocks(): AsyncIterable<RecordBlock> | Iterable<RecordBlock>;
}
