/** Bytes for a run of these images. */
import { totalmem } from 'node:os';
import { BATCH, FLOATS } from './work.mjs';

/** A batch, and what lies beside it in a channel: how it is laid out, small chunks. One that misses its slot by a byte passes in parts, by copies. */
const PLACE = (BATCH * FLOATS * 4 * 17) / 16;

/**
 * Two batches for every lane and two more, in each of two channels and, as many again, in the hands of threads; at most a quarter of the
 * machine's.
 */
export const memoryFor = lanes => Math.min(4 * (2 * lanes + 2) * PLACE, Math.floor(totalmem() / 4));
