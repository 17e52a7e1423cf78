/** Random numbers an operator has drawn. Both zero: none, so the same elements always give the same results. */
export interface RandomOperator {
  readonly id: string;
  /** From the engine: `rng` and the places of a shuffle. The same seed gives the same numbers. */
  readonly keyedDraws: number;
  /** From the runtime: calls of `Math.random` and of the random functions of `crypto`, wherever they stand. */
  readonly ambientDraws: number;
}
