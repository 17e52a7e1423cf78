export { addCodec, codecsDigest } from './codecs.ts';
export { ChunkDecoder } from './decoder.ts';
export { ChunkEncoder } from './encoder.ts';
export type { Identity } from './identity.ts';
export { ARRAYS_OFFSET, countOf, LAYOUT_VERSION } from './layout.ts';
export { isInt } from './numbers.ts';
export { readState, writeState } from './state.ts';
export { canTravel } from './travel.ts';
