/** What is known of an operator beside its own samples. */
export interface Weight {
  readonly operator: string;
  /** Samples that are its own beyond doubt. */
  readonly hits: number;
  /** CPU by the engine's timed elements, in samples. */
  readonly timedHits: number;
}

export interface DividedPart {
  readonly operator: string;
  readonly hits: number;
  /** Between these, by the two ways of dividing. */
  readonly low: number;
  readonly high: number;
}

/**
 * Divides samples of code that several operators share. The timed elements say what each operator takes as a whole: what its own samples do not
 * explain of that is its part of the shared code. The other bound is to divide by the whole; where the two differ, so much is unknown.
 */
export function divide(shared: number, weights: readonly Weight[]): DividedPart[] {
  // Operators of queries are not timed: nothing says how much is whose.
  if (weights.every(({ timedHits }) => timedHits === 0)) {
    const own = proportions(weights.map(({ hits }) => hits));
    return weights.map(({ operator }, at) => ({ operator, hits: shared * (own[at] ?? 0), low: 0, high: shared }));
  }
  const left = proportions(weights.map(({ hits, timedHits }) => Math.max(0, timedHits - hits)));
  const whole = proportions(weights.map(({ timedHits }) => timedHits));
  return weights.map(({ operator }, at) => {
    const [byRest, byWhole] = [shared * (left[at] ?? 0), shared * (whole[at] ?? 0)];
    return { operator, hits: byRest, low: Math.min(byRest, byWhole), high: Math.max(byRest, byWhole) };
  });
}

function proportions(values: readonly number[]): number[] {
  const sum = values.reduce((total, value) => total + value, 0);
  return values.map(value => (sum > 0 ? value / sum : 1 / values.length));
}
