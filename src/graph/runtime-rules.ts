import type { Operator } from '../model/graph.ts';
import type { FusingRules } from './stages.ts';

/** An operator that a plan may insert, as the runtime describes it, without its position in a graph. */
export type Insertable = Omit<Operator, 'id' | 'inputs'>;

/** A channel between two stages, or to the program that takes the elements. */
export interface ChannelNeeds {
  /** The operator that elements leave. */
  readonly last: Operator;
  /** Lanes of the side that has more of them. */
  readonly lanes: number;
  readonly bytesPerElement: number;
  /** Time that a lane of the consumer works on an element, ns. */
  readonly consumerNs: number;
  /** Calls at once of async functions there. */
  readonly concurrency: number | undefined;
  /** A chunk holds whole multiples of so many elements, for the lanes that make batches of it. */
  readonly whole: number;
}

/** A runtime's rules for executing a graph: what a forecast or a plan has to know of it. */
export interface RuntimeRules {
  readonly fusing: FusingRules;
  /** A buffer with a channel behind it. */
  readonly buffer: Insertable;
  readonly cache: Insertable;
  /** Elements that a chunk has on a channel once it fits its consumer. */
  chunkElements(channel: ChannelNeeds): number;
}
