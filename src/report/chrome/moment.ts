/** Moments of a run on the clock of a trace. `offsetNs`: that clock at the start of the run. */
export class TraceClock {
  readonly #offset: bigint;

  constructor(offsetNs = 0n) {
    this.#offset = offsetNs;
  }

  /** Microseconds with three decimals, which a double would lose on a wall clock. */
  at(ns: number): string {
    const whole = this.#offset + BigInt(Math.round(ns));
    const sign = whole < 0n ? '-' : '';
    const size = whole < 0n ? -whole : whole;
    return `${sign}${size / 1000n}.${String(size % 1000n).padStart(3, '0')}`;
  }
}

export const microseconds = (ns: number): string => (Math.max(0, ns) / 1000).toFixed(3);
