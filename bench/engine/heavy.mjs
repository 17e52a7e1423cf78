/** Real arithmetic, about a millisecond of it per element, and next to no data. */
import { pipeline, range } from 'venturi/engine';

const STEPS = 500_000;

/** Every step needs the one before it, so that neither the compiler nor the core can take several at once. */
function churn(seed) {
  let state = seed | 1;
  for (let step = 0; step < STEPS; step++) {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d);
    state ^= state >>> 12;
  }
  return state >>> 0;
}

export default pipeline(import.meta, { count: 4_000 }, ({ count }) =>
  range(count).map(churn, { name: 'churn', parallelism: 1 }),
);
