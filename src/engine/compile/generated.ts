/**
 * Code compiled for one caller. V8 collects type feedback per source text: a text that two callers share collects the types of both and is slow
 * for each; worse, optimised reads that have met several kinds of array convert the caller's arrays to the most general kind. A number in a
 * comment makes every text unique.
 */
let texts = 0;

/** Compiles an expression that may use the given names. */
export function generate<T>(expression: string, scope: Readonly<Record<string, unknown>> = {}): T {
  texts++;
  return new Function(...Object.keys(scope), `return /* ${texts} */ ${expression}`)(...Object.values(scope)) as T;
}
