/** The small-element pipeline. Plain JavaScript, so that no run spends time on compiling TypeScript. */
import { pipeline, range } from 'venturi/engine';
import { BATCH, increment, isEven, triple } from './small-work.mjs';

export default pipeline(import.meta, { count: 5_000_000 }, ({ count }) =>
  range(count).map(triple).filter(isEven).map(increment).batch(BATCH),
);
