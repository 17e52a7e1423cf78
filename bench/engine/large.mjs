/** Elements of 100 KB, made in one worker and touched in two others. */
import { pipeline, range } from 'venturi/engine';

export const ELEMENT_BYTES = 100_000;
/** The source rests before this element, so that one can see the pipeline stand with all its threads and next to no data. */
export const REST_BEFORE = 8;
export const REST_MS = 1000;

const restWord = new Int32Array(new SharedArrayBuffer(4));

function make(index) {
  if (index === REST_BEFORE) Atomics.wait(restWord, 0, 0, REST_MS);
  return new Uint8Array(ELEMENT_BYTES).fill(index);
}

function touch(bytes) {
  for (let at = 0; at < bytes.length; at += 4096) bytes[at] += 1;
  return bytes;
}

export default pipeline(import.meta, { count: 10_000 }, ({ count }) =>
  range(count).map(make).map(touch, { name: 'touch', parallelism: 2 }),
);
