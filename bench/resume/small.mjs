/** Small elements and a buffer of them: whatever is done beside the work shows. */
import { pipeline, range } from 'venturi/engine';

export default pipeline(import.meta, { count: 10_000_000 }, ({ count }) =>
  range(count)
    .map(x => x * 2)
    .filter(x => x % 3 !== 0)
    .shuffle(1000)
    .batch(64),
);
