/** How much is simulated. */
export interface Extent {
  /** Steps of the first worker to end. */
  readonly steps: number;
  /** Steps of each worker before throughput is counted. */
  readonly warmUp: number;
  readonly seed: number;
  /** Profiled steps follow each other as recorded, instead of being drawn. */
  readonly inOrder?: boolean | undefined;
  /** Positions of the profiled steps there are to draw from; all unless given. One may stand there several times (a bootstrap's). */
  readonly choices?: readonly number[] | undefined;
}

/** Told of everything that happens: for traces. Moments in seconds. */
export interface Observer {
  /** A chunk of an op, or a whole one, by its unit and its row in the compiled tables. */
  chunk(worker: number, unit: number, row: number, start: number, end: number): void;
  /** A step, by its position in the profile. */
  step(worker: number, step: number, start: number, end: number): void;
}

export interface Simulated {
  /** Examples per second of all workers. */
  readonly throughput: number;
  /** Window over which it was counted, s, and steps that ended in it. */
  readonly from: number;
  readonly to: number;
  readonly steps: number;
  /** Chunks that ended, over the whole simulation. */
  readonly events: number;
  /** By unit: the part of its capacity that was used in the window, over all workers. */
  readonly used: readonly number[];
}
