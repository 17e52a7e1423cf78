import type { Operator } from '../model/graph.ts';

/** An operator with what it costs, all per element that leaves the pipeline. */
export interface ModelOperator extends Operator {
  /** CPU seconds, without what handing elements to other threads takes. */
  readonly cpu: number;
  /** Seconds asleep outside the dataflow. */
  readonly blocked: number;
  /** Elements that leave it. */
  readonly visits: number;
  /** Bytes that leave it. */
  readonly bytes: number;
  /** Typed arrays among them with memory of their own. */
  readonly arrays: number;
  /** What handing them on takes this machine, in parts of what is reckoned. */
  readonly slowness: number;
  /** It need not run any more: what it makes is kept. */
  readonly idle: boolean;
}
