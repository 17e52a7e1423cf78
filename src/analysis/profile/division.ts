/** What is known of an operator beside its own samples. */
export interface Weight {
  readonly operator: string;
  /** Samples that are its own beyond doubt. */
  readonly hits: number;
  /** CPU by the engine's timed elements, in any unit. */
  readonly timed: number;
  /** Its 95 % interval by the number of timed elements. */
  readonly timedInterval: readonly [number, number];
  /** Elements that it got. */
  readonly rows: number;
}

export interface DividedPart {
  readonly operator: string;
  readonly hits: number;
  /** Between these, by other ways of dividing. */
  readonly low: number;
  readonly high: number;
}

/**
 * Divides samples of code that several operators share. The engine's timed elements say what part each operator has of what they take together, their
 * own samples included; where those elements would also allow that each element costs all of them the same, that is taken, since a few
 * timed elements are a worse guide than the number of all. What own samples do not explain of such a part is the operator's part of the shared code. Only operators
 * that share are compared with one another, because the clock itself adds to the time of each element. The band covers all ways, that of dividing
 * the shared code alone too.
 */
export function divide(shared: number, weights: readonly Weight[]): DividedPart[] {
  // Operators of queries are not timed: nothing says how much is whose.
  if (weights.every(({ timed }) => timed === 0)) {
    const own = proportions(weights.map(({ hits }) => hits));
    return weights.map(({ operator }, at) => ({ operator, hits: shared * (own[at] ?? 0), low: 0, high: shared }));
  }
  const all = weights.reduce((sum, { hits }) => sum + hits, shared);
  const allTimed = weights.reduce((sum, { timed }) => sum + timed, 0);
  const byTime = proportions(weights.map(({ timed }) => timed));
  const byRows = proportions(weights.map(({ rows }) => rows));
  const mayCostTheSame = weights.every(({ timedInterval: [low, high] }, at) => {
    const expected = (byRows[at] ?? 0) * allTimed;
    return low <= expected && expected <= high;
  });
  const unexplained = (whole: readonly number[]): number[] =>
    proportions(weights.map(({ hits }, at) => Math.max(0, (whole[at] ?? 0) * all - hits)));
  const ways = [byRows, byTime].flatMap(whole => [unexplained(whole), whole]);
  const taken = unexplained(mayCostTheSame ? byRows : byTime);
  return weights.map(({ operator }, at) => {
    const parts = ways.map(way => shared * (way[at] ?? 0));
    return { operator, hits: shared * (taken[at] ?? 0), low: Math.min(...parts), high: Math.max(...parts) };
  });
}

function proportions(values: readonly number[]): number[] {
  const sum = values.reduce((total, value) => total + value, 0);
  return values.map(value => (sum > 0 ? value / sum : 1 / values.length));
}
