/** [pass of the source, elements of it]. */
export type CheckpointPosition = readonly [epoch: number, index: number];

/**
 * Where a run stood, as plain data that JSON can hold. `resume` in the options of a run goes on from it; with threads or without, and
 * with any parallelism, chunks and buffers.
 */
export interface Checkpoint {
  readonly format: 'venturi.checkpoint';
  readonly version: number;
  /** Elements that had been handed out, over all runs since the beginning. */
  readonly elements: number;
  /** Of the run that was saved; a run that is resumed has them unless told otherwise, and must have the same seed and epochs. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly seed: number;
  readonly epochs: number;
  /** Digests: of the graph without its functions, of each function's text, and of each source's files by name, size and time. */
  readonly graph: string;
  readonly functions: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, string>>;
  readonly operators: Readonly<Record<string, CheckpointOperator>>;
  readonly consumer: CheckpointInput;
  /** Of all the rest. */
  readonly digest: string;
}

/** Where an operator goes on. */
export interface CheckpointOperator {
  readonly out: CheckpointPosition;
  readonly inputs: readonly CheckpointInput[];
  /** What it kept, in base64: elements in its buffer, a file's offset, a count. */
  readonly state?: string;
}

/** What arrives first, and before what it is left out because it has been had: the difference is made again. */
export interface CheckpointInput {
  readonly from: CheckpointPosition;
  readonly until: CheckpointPosition;
}
