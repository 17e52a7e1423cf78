import type { SentLandmark } from '../books/position.ts';

/** A landmark as the bytes of a chunk: its pass, its index, and what was sent before it. */
export function landmarkBytes({ epoch, index, sent }: SentLandmark): Uint8Array {
  return new Uint8Array(Float64Array.of(epoch, index, sent).buffer);
}

export function readLandmark(bytes: Uint8Array): SentLandmark {
  const [epoch = 0, index = 0, sent = 0] = new Float64Array(bytes.slice().buffer);
  return { epoch, index, sent };
}
