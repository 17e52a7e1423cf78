import type { Operator } from '../model/graph.ts';
import type { Handed } from '../prediction/bound/crossing.ts';

/** An operator with what it costs and what leaves it, all per element that leaves the pipeline. */
export interface ModelOperator extends Operator, Handed {
  /** CPU seconds, without what handing elements to other threads takes. */
  readonly cpu: number;
  /** Seconds asleep outside the dataflow. */
  readonly blocked: number;
  /** What leaves it cannot go to another thread, nor into a cache. */
  readonly stays: boolean;
  /** It need not run any more: what it makes is kept. */
  readonly idle: boolean;
}
