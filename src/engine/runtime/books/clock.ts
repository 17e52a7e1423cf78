/**
 * Nanoseconds since the run's start on CLOCK_MONOTONIC, the same in every thread: `performance.now()` is cheaper than
 * `hrtime` but counts from each thread's own birth, so it is tied to the common clock once.
 */
export class Clock {
  readonly #offset: number;

  /** `start`: the run's start on `process.hrtime.bigint()`. */
  constructor(start: bigint) {
    this.#offset = tie(start);
  }

  now(): number {
    return performance.now() * 1e6 + this.#offset;
  }
}

/** The tightest of a few paired readings. */
function tie(start: bigint): number {
  let best = Number.POSITIVE_INFINITY;
  let offset = 0;
  for (let attempt = 0; attempt < 8; attempt++) {
    const before = performance.now();
    const common = Number(process.hrtime.bigint() - start);
    const after = performance.now();
    if (after - before >= best) continue;
    best = after - before;
    offset = common - ((before + after) / 2) * 1e6;
  }
  return offset;
}
