/** Chunks of more bytes are large: a channel holds few of them, however many small ones it could. */
export const LARGE_CHUNK = 128 * 1024;
