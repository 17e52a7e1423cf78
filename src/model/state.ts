/**
 * What a lane can be doing. The five sum to its wall time.
 * - running: on a core
 * - runnable: wants a core and queues for one
 * - blocked: asleep outside the dataflow (disk, network, a lock, a timer)
 * - starved: waiting on its input channel
 * - backpressured: waiting on its output channel
 */
export const STATES = ['running', 'runnable', 'blocked', 'starved', 'backpressured'] as const;
export type State = (typeof STATES)[number];
