import type { Tile } from '../../analysis/pyramid/tile.ts';

/** Spans of a lane at one depth: they do not overlap. */
export interface TimelineSeries {
  /** Letters, digits, `.` and `-`: part of an address. */
  readonly key: string;
  /** 0: outermost. */
  readonly depth: number;
  readonly spans: number;
}

export interface TimelineLane {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** The stage or loader it worked for, where there is one. */
  readonly group: string;
  readonly series: readonly TimelineSeries[];
}

export interface TimelineSubject {
  /** The subject's key in the run: `stage:decode`, `operator:resize`, `wait:loader`. */
  readonly key: string;
  readonly label: string;
  /** Operators it is about. */
  readonly operators: readonly string[];
}

export interface TimelineData {
  readonly durationNs: number;
  readonly spans: number;
  readonly lanes: readonly TimelineLane[];
  /** By the number that tiles have. */
  readonly subjects: readonly TimelineSubject[];
  /** Width of level 1's bins. */
  readonly binNs: number;
  /** Finest level there is: 0, or more where detail was left out for its size. */
  readonly finest: number;
  /** Coarsest level: one tile holds the whole run. */
  readonly coarsest: number;
  /** Arrows from the end of a batch's preparation to the beginning of its use. */
  readonly arrows: readonly TimelineArrow[];
}

/** Moments in ns, lanes by their place in the list. */
export interface TimelineArrow {
  readonly batch: number;
  readonly fromLane: number;
  readonly fromNs: number;
  readonly toLane: number;
  readonly toNs: number;
  /** How long its consumer waited for it. */
  readonly waitNs: number;
}

export interface TileSource {
  /** Of several series at one place in time. Undefined where there is none: nothing happened there, or it was left out. */
  tiles(series: readonly string[], level: number, index: number): Promise<readonly (Tile | undefined)[]>;
}
