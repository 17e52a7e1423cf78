import type { AppliedPlan } from '../../model/applied-plan.ts';
import type { Graph } from '../../model/graph.ts';
import type { RandomOperator } from '../../model/random-operator.ts';
import type { Checkpoint } from './checkpoint.ts';
import type { Lease } from './lease.ts';
import type { OperatorSettings } from './operator-settings.ts';
import type { ProbeSpec } from './probe.ts';

export interface RunOptions<P = Record<string, unknown>> {
  readonly params?: Partial<P>;
  /** 0 runs everything inline on the calling thread, for a debugger. */
  readonly parallelism?: 0;
  /** Settings by operator: its id, its name, or an unambiguous end of its path. */
  readonly set?: Readonly<Record<string, OperatorSettings>>;
  /** Changes to the pipeline that leave its elements as they are; `set` comes after them. */
  readonly plan?: AppliedPlan | undefined;
  /** Runs the whole pipeline this many times. */
  readonly epochs?: number;
  readonly seed?: number;
  /**
   * Bytes of elements that may be under way: half of it in channels, half in the hands of threads. Unless given, 512 MiB for each core, 256 at least, and no
   * more than a quarter of the machine's memory.
   */
  readonly memory?: number;
  /** Fixes the elements per chunk instead of fitting them to the work; for tests. */
  readonly chunkElements?: number;
  /** Fixes the chunks per channel. */
  readonly slots?: number;
  /**
   * Lends large byte arrays to the consumer in place, in shared memory, instead of copying them. They are valid until the consumer asks for its next
   * element; a consumer that keeps one longer copies it, or takes `leases()`.
   */
  readonly borrow?: boolean;
  readonly signal?: AbortSignal;
  /** File to which elements that are given up are appended, one JSON object a line. */
  readonly deadLetter?: string;
  /**
   * The run is made to be measured: files that sinks of ours write are thrown away, and functions and operators can ask
   * (`isTrial` of their worker).
   */
  readonly trial?: boolean;
  readonly probe?: ProbeSpec;
  /**
   * Operators write down their state as they go, about twice a second, so that a run which is resumed from what `save` gave has little to do
   * again. Otherwise it goes through everything from the beginning, or from where it was resumed, to get there. True where
   * `resume` is given.
   */
  readonly resumable?: boolean | { readonly everyMs: number };
  /** Goes on where another run of the same pipeline was saved. Parameters, seed and epochs are those it had, unless told otherwise. */
  readonly resume?: Checkpoint;
}

export interface OperatorProgress extends RandomOperator {
  readonly elementsIn: number;
  readonly elementsOut: number;
}

/** Where a run stands; cheap to ask for, many times a second. */
export interface Progress {
  /** Elements that reached the consumer. */
  readonly elements: number;
  /** Bytes that reached the consumer. */
  readonly bytes: number;
  /** Share of the source that was read, 0 to 1; undefined where its length is unknown. */
  readonly done: number | undefined;
  readonly operators: readonly OperatorProgress[];
}

/** What a channel has been through since the run's start. */
export interface ChannelReading {
  readonly id: string;
  /** Chunks in it now. */
  readonly queued: number;
  /** Time-integral of the chunks in it, chunk·ns. */
  readonly occupancy: number;
  /** ns it was full. */
  readonly saturated: number;
  /** ns its producers waited for its bandwidth, all together. */
  readonly transport: number;
  /** Chunks handed on, each part of a large one counted, and their bytes. */
  readonly chunks: number;
  readonly bytes: number;
  /** Of these, chunks of a single element, or of the elements of a single batch, that were too large to pass whole: each counted once, their bytes, and the largest. */
  readonly inParts: { readonly chunks: number; readonly bytes: number; readonly largest: number };
}

/** Work that a lane does not come to the end of. */
export interface StuckWork {
  readonly lane: string;
  /** The operator whose function does not return; several where that cannot be told apart. */
  readonly operators: readonly string[];
  /** Number of the element; of the first of `elements`, where only these are known. None where a source gives no more. */
  readonly element?: number;
  readonly elements?: number;
  /** ns from the run's start until it began. */
  readonly sinceNs: number;
}

export interface RunSummary {
  readonly elements: number;
  readonly bytes: number;
  /** 'stopped' where its consumer or signal ended it before its source did. */
  readonly status: 'completed' | 'stopped';
  /** Seconds from the start to the end. */
  readonly seconds: number;
  /** Elements that were given up, and what a probe could not keep. */
  readonly warnings: readonly string[];
  /** The operators that drew random numbers. */
  readonly random: readonly RandomOperator[];
}

/** A pipeline that is running. It can be consumed once. */
export interface Run<T> extends AsyncIterable<T> {
  /** Its start on `process.hrtime.bigint()`. */
  readonly start: bigint;
  readonly graph: Graph;
  progress(): Progress;
  channels(): readonly ChannelReading[];
  /** What seems never to end: so far, or when the run had to be ended regardless. */
  stuck(): readonly StuckWork[];
  /** Consumes every element without handing it out. Rejects with the run's failure, as iterating does. */
  drain(): Promise<RunSummary>;
  forEach(consume: (element: T) => void | Promise<void>): Promise<RunSummary>;
  /**
   * Elements that are lent until they are given back, several at a time and in any order, of a run with `borrow`: `for await (using lease of run.leases())`.
   * Where more are kept than the channel has memory for, further ones are copies.
   */
  leases(): AsyncIterable<Lease<T>>;
  /**
   * Where it stands: every element handed out so far is done, none of the others is. To be called between elements, or at any
   * time where none are handed out; the run goes on.
   */
  save(): Promise<Checkpoint>;
  /** Ends the run early and in good order; resolves when its workers are gone. */
  stop(): Promise<void>;
  /** Settles when the run has ended. */
  readonly finished: Promise<RunSummary>;
}
