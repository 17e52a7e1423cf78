/** Judgements of what a plan may take, by which no rate is forecast. */

/** Share of a rate that more threads have to bring in the plan that spares them: the one to try beside the best. */
export const SPARING = 0.25;
/** Lanes of an operator at most. */
export const MOST_LANES = 32;
/** Share of the memory for caches and buffers that one buffer may take. */
export const BUFFER_SHARE = 1 / 16;
/** Elements that a buffer holds at least, so that it evens out a flow of few large ones, too. */
export const LEAST_BUFFERED = 16;
/** Chunks that a channel may hold at most: twice as many as the engine gives one by itself (`graph/channel-shape.ts`). */
export const MOST_SLOTS = 64;
