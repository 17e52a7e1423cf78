/** Elements per second over `passes` of them, the first of which fills the cache. */
export const meanRate = (cold: number, warm: number, passes: number): number =>
  Number.isFinite(passes) ? passes / (1 / cold + (passes - 1) / warm) : warm;

/** The pass by whose end a cache has paid for being filled, where `without` is the rate without one. */
export function paysAfter(cold: number, warm: number, without: number): number | undefined {
  if (!(warm > without)) return undefined;
  return Math.max(2, wholeAbove((1 / cold - 1 / warm) / (1 / without - 1 / warm)));
}

/** The least whole number that is no less, but for errors of rounding. */
export const wholeAbove = (value: number): number => Math.ceil(value * (1 - 2 * Number.EPSILON) - Number.EPSILON);
