/** Bytes for a run of these images. */
import { totalmem } from 'node:os';
import { BATCH, FLOATS } from './work.mjs';

/**
 * Two batches for every lane and two more, in each of two channels and, as many again, in the hands of threads; at most a quarter of the
 * machine's.
 */
export const memoryFor = lanes => Math.min(4 * (2 * lanes + 2) * BATCH * FLOATS * 4, Math.floor(totalmem() / 4));
