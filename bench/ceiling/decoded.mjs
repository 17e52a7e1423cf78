/** Elements that a decoder makes ten times as large, their sizes log-normal. */
import { pipeline, range } from 'venturi/engine';
import { logNormal, randomOf } from '../virtual/random.mjs';

const size = logNormal(40e3, 0.5);

export const sizeOf = (seed, index) => Math.round(size(randomOf(seed * 100_003 + index)));

export default pipeline(import.meta, { elements: 1000, seed: 1 }, ({ elements, seed }) =>
  range(elements)
    .map(
      index => {
        // Some work, so that a few hundred elements take longer than one reading of the counters.
        let x = index;
        for (let at = 0; at < 300_000; at++) x = (x * 1103515245 + 12345) % 2147483648;
        return new Uint8Array(sizeOf(seed, index)).fill(x & 255);
      },
      { name: 'decode', parallelism: 1 },
    )
    .map(bytes => bytes.length, { name: 'measure', parallelism: 2 }),
);
