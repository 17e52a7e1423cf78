/** Ratios below are of rates unless said otherwise. They weigh what cannot be measured: what a change is worth to its owner. */

/** Rates that differ by less are the same: a hundredth, as Plumber's runs end at (App. A). */
export const SAME = 0.01;
/** A change that takes memory, a thread or a request from others has to bring this much. */
export const WORTHWHILE = 0.05;
/** More threads, where they are to be spared, have to bring this much. */
export const SPARING = 0.25;
/** Passes over the data that the first one is weighed against: of an endless run only so many are looked at. */
export const MOST_PASSES = 20;
/** Lanes of an operator that a plan has at most. */
export const MOST_LANES = 32;
/** Share of the memory for caches and buffers that one buffer may take. */
export const BUFFER_SHARE = 1 / 16;
/** Elements that a buffer holds at least. */
export const LEAST_BUFFERED = 16;
/** Chunks that a plan lets a channel hold at most. */
export const MOST_SLOTS = 64;
