import type { Position } from '../books/position.ts';

/** A position as the bytes of a chunk: its pass and its index. */
export function landmarkBytes({ epoch, index }: Position): Uint8Array {
  return new Uint8Array(Float64Array.of(epoch, index).buffer);
}

export function readLandmark(bytes: Uint8Array): Position {
  const [epoch = 0, index = 0] = new Float64Array(bytes.slice().buffer);
  return { epoch, index };
}
