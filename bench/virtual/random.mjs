import { mulberry32 } from '../harness.mjs';

/** Random numbers from a seed, and the distributions that virtual pipelines draw from. */
export function randomOf(seed) {
  const uniform = mulberry32((seed * 0x9e3779b1) | 0);
  const normal = () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
  return {
    uniform,
    normal,
    between: (low, high) => low + (high - low) * uniform(),
    /** As likely below as above, in proportion. */
    logBetween: (low, high) => low * (high / low) ** uniform(),
    pick: list => list[Math.floor(uniform() * list.length)],
  };
}

/** Log-normal with this mean; `spread` is the standard deviation of its logarithm. */
export const logNormal = (mean, spread) => random => mean * Math.exp(spread * random.normal() - (spread * spread) / 2);
