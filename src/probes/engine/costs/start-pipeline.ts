import { pipeline, range } from '../../../engine/index.ts';

/** A pipeline that does nothing but start its lanes. */
export default pipeline(import.meta, { lanes: 1 }, ({ lanes }) =>
  range(1).map(element => element, { name: 'lanes', parallelism: lanes }),
);
