/** A profiler's hit: which thread was where in the code, and how many events had passed since the last one. */
export interface Sample {
  readonly pid: number;
  readonly tid: number;
  /** ns on CLOCK_MONOTONIC. */
  readonly time: number;
  /** Events since the last hit: ns for a clock, cycles, misses … */
  readonly weight: number;
  readonly event: string;
  readonly symbol: string;
  /** The file the symbol lies in, without its folder. */
  readonly module: string;
}

/** A path's last part: what folders a machine has is nobody's business. */
export const fileName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** An event without what perf adds where the kernel is not to be seen: `cycles:u`. */
export const withoutModifier = (event: string): string => event.replace(/:[a-zA-Z]+$/, '');
