import type { Graph } from '../../model/graph.ts';

/**
 * How a run is watched. The engine knows no recorder: it imports the probe's module in every lane and calls it once
 * per chunk, so a lane without a probe pays nothing. `probes/engine` is the one that writes a run to disk.
 */
export interface ProbeSpec {
  /** URL of a module that exports `openLaneProbe`. */
  readonly module: string;
  /** Handed to `openLaneProbe` in every lane; must survive a structured clone. */
  readonly options: unknown;
}

export interface LaneDescription {
  /** Unique in the run: `decode#1`, `consumer`. */
  readonly name: string;
  readonly stage: string;
  /** Ids of the operators fused into this lane's loop, in order. */
  readonly operators: readonly string[];
  /** The run's start on CLOCK_MONOTONIC, ns: what its moments count from. */
  readonly start: bigint;
}

/** Totals a lane keeps about itself, updated in place by the engine. Times are ns, moments ns since the run's start. */
export interface LaneTotals {
  starved: number;
  backpressured: number;
  chunks: number;
  /** Time between the start and the end of chunks, waiting left out. */
  busy: number;
  /** Part of `busy` spent in operators: in the fused loop, reading a source, awaiting user functions. */
  inOperators: number;
  bytesIn: number;
  bytesOut: number;
  /** Typed arrays with memory of their own among what left it. */
  arraysOut: number;
  /** Of the lane that reads a source: the share of all its passes that was read; negative where that is unknown. */
  done: number;
  /** Files that a source has read to their end. */
  files: number;
  /** Per operator of the lane, in order. */
  readonly elementsIn: Float64Array;
  readonly elementsOut: Float64Array;
  readonly sampledElements: Float64Array;
  readonly sampledTime: Float64Array;
  readonly sampledSquares: Float64Array;
  /** Elements whose size was taken as they left each operator, and the sum of those sizes. */
  readonly sizedElements: Float64Array;
  readonly sampledBytes: Float64Array;
  /** Typed arrays in the same elements; objects, lists and texts in them. */
  readonly sampledArrays: Float64Array;
  readonly sampledObjects: Float64Array;
  /** Those of them that could not go to another thread; none is looked for once one was seen. */
  readonly stayingElements: Float64Array;
  /** Random numbers drawn: from the engine, keyed by seed and element, and from the runtime. */
  readonly keyedDraws: Float64Array;
  readonly ambientDraws: Float64Array;
  /** Calls of an async function that have ended, their time together and that of the slowest, µs, and how many failed. */
  readonly calls: Float64Array;
  readonly callTime: Float64Array;
  readonly slowestCall: Float64Array;
  readonly failedCalls: Float64Array;
}

/** A generated loop, with the way back from its lines. */
export interface GeneratedLoop {
  /** As stack traces and profiles name it. */
  readonly file: string;
  /** The number that its first line has there. */
  readonly firstLine: number;
  readonly text: string;
  /** By line, the first being 1: the position of the operator it belongs to, and what it is there for. */
  readonly owners: readonly (number | undefined)[];
  readonly tasks: readonly (string | undefined)[];
}

export interface LaneProbe {
  /** This thread's CPU time so far, ns. */
  cpu(): number;
  /** A chunk is done. */
  end(
    sequence: number,
    start: number,
    end: number,
    elementsIn: number,
    elementsOut: number,
    bytesIn: number,
    bytesOut: number,
  ): void;
  /** Once, before the lane's loops run. `calls`: the functions of its operators, by position. */
  generated?(loops: readonly GeneratedLoop[], calls: readonly unknown[]): void;
  /** Called about ten times a second while the lane waits. */
  tick(): void;
  /** Returns what its user should know: why a recording is not whole. */
  close(): readonly string[];
}

export type OpenLaneProbe = (
  options: unknown,
  lane: LaneDescription,
  totals: LaneTotals,
  graph: Graph,
) => LaneProbe | Promise<LaneProbe>;
