/** An observation: what explains it, and what was seen. */
export interface Observation {
  readonly terms: readonly number[];
  readonly value: number;
}

/** Rounds after which weights no longer change by much. */
const ROUNDS = 20;

/**
 * Coefficients, none below zero, of the sum of terms that comes closest to the observations in proportion: too high by a factor counts as
 * much as too low by it. Least squares of log(fit / value), by reweighting: (fit − value)² / (fit · L) has the same gradient, with L the logarithmic
 * mean of the two, both as of the round before.
 */
export function nonNegativeFit(observations: readonly Observation[]): readonly number[] {
  const seen = observations.filter(({ value }) => value > 0);
  let coefficients = weightedFit(seen.map(({ terms, value }) => ({ terms, value, scale: value })));
  for (let round = 0; round < ROUNDS; round++) {
    const scales = seen.map(({ terms, value }) => {
      const fit = fitOf(terms, coefficients) || value;
      return Math.sqrt(fit * logarithmicMean(fit, value));
    });
    coefficients = weightedFit(seen.map((observation, at) => ({ ...observation, scale: scales[at] ?? 1 })));
  }
  return coefficients;
}

/** (a − b) / (log a − log b); their mean where they are so close that this would be rounding. */
const logarithmicMean = (a: number, b: number): number =>
  Math.abs(a - b) < 1e-6 * b ? (a + b) / 2 : (a - b) / Math.log(a / b);

interface Weighted extends Observation {
  /** Unit of its error: what counts is error / scale. */
  readonly scale: number;
}

const fitOf = (terms: readonly number[], coefficients: readonly number[]): number =>
  terms.reduce((sum, term, at) => sum + term * (coefficients[at] ?? 0), 0);

/**
 * Least squares without a coefficient below zero. Among all subsets of the terms, the best whose own solution has none is the solution
 * (Lawson and Hanson, Solving Least Squares Problems, ch. 23): with a handful of terms all subsets are tried.
 */
function weightedFit(observations: readonly Weighted[]): readonly number[] {
  const terms = Array.from({ length: observations[0]?.terms.length ?? 0 }, (_, term) => term);
  let best = { error: Number.POSITIVE_INFINITY, coefficients: terms.map(() => 0) };
  for (let subset = 1; subset < 2 ** terms.length; subset++) {
    const chosen = terms.filter(term => Math.floor(subset / 2 ** term) % 2 === 1);
    const solution = solve(normalEquations(observations, chosen));
    if (solution === undefined || solution.some(coefficient => coefficient < 0)) continue;
    const coefficients = terms.map(term => solution[chosen.indexOf(term)] ?? 0);
    const error = observations.reduce(
      (sum, each) => sum + ((fitOf(each.terms, coefficients) - each.value) / each.scale) ** 2,
      0,
    );
    if (error < best.error) best = { error, coefficients };
  }
  return best.coefficients;
}

/** Rows of (XᵀX | Xᵀy), with the rows of X and y divided by the scales. */
const normalEquations = (observations: readonly Weighted[], chosen: readonly number[]): number[][] =>
  chosen.map(row => {
    const product = (column: (each: Weighted) => number): number =>
      observations.reduce((sum, each) => sum + ((each.terms[row] ?? 0) * column(each)) / each.scale ** 2, 0);
    return [...chosen.map(term => product(({ terms }) => terms[term] ?? 0)), product(({ value }) => value)];
  });

/** Share of a term that is left where others explain it: rounding. */
const COLLINEAR = 1e-12;

/** Gaussian elimination with partial pivoting; undefined where the terms cannot be told apart. */
function solve(rows: number[][]): number[] | undefined {
  const size = rows.length;
  const scale = rows.map((row, at) => Math.abs(row[at] ?? 0));
  for (let at = 0; at < size; at++) {
    const rest = rows.slice(at);
    const pivot = rest.reduce((most, row) => (Math.abs(row[at] ?? 0) > Math.abs(most[at] ?? 0) ? row : most));
    const other = rows.indexOf(pivot);
    const lead = pivot[at] ?? 0;
    if (!(Math.abs(lead) > COLLINEAR * (scale[other] ?? 0))) return undefined;
    [rows[at], rows[other]] = [pivot, rows[at] ?? []];
    [scale[at], scale[other]] = [scale[other] ?? 0, scale[at] ?? 0];
    for (const row of rows) {
      if (row === pivot) continue;
      const factor = (row[at] ?? 0) / lead;
      for (let column = at; column <= size; column++) row[column] = (row[column] ?? 0) - factor * (pivot[column] ?? 0);
    }
  }
  return rows.map((row, at) => (row[size] ?? 0) / (row[at] ?? 1));
}
