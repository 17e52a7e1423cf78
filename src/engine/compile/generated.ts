/**
 * Code written for one place. V8 learns types per source text, so a text that is used in two places learns both places' types and
 * is slow in each; worse, optimised reads that have met several kinds of array convert the caller's arrays to the most general
 * kind. A number in a comment makes every text its own.
 */
let texts = 0;

/** Compiles an expression that may use the given names. */
export function generate<T>(expression: string, scope: Readonly<Record<string, unknown>> = {}): T {
  texts++;
  return new Function(...Object.keys(scope), `return /* ${texts} */ ${expression}`)(...Object.values(scope)) as T;
}
