/** Shares of a rate below which two rates are the same: a hundredth, at which Plumber's trials end (Plumber, App. A). */
export const SAME = 0.01;

/**
 * Share of a rate that a change has to bring where it takes memory, a thread or a request from others; sizes that differ by no more are alike.
 * A judgement: nobody can measure what a change is worth to its owner.
 */
export const WORTHWHILE = 0.05;
