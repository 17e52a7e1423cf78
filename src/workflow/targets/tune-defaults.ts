/** Defaults of the options of `tune`, said in its help too. */

/** Plans that are tried, and settings of a loader: a first one, one with what that has shown, and the next best. A judgement. */
export const DEFAULT_ROUNDS = 3;

/** Seconds of each recording, after the first element: one to warm up (`analysis/rates/steady.ts`), and five to measure. A judgement. */
export const DEFAULT_SECONDS = 6;

/** Batches of each run of a program, which ends after them. A judgement. */
export const DEFAULT_BATCHES = 200;
