import type { Operator } from '../model/graph.ts';
import type { FusingRules } from './stages.ts';

/** An operator that a plan may insert, as the runtime describes it, without its position in a graph. */
export type Insertable = Omit<Operator, 'id' | 'inputs'>;

/** A runtime's rules for executing a graph: what a forecast or a plan has to know of it. */
export interface RuntimeRules {
  readonly fusing: FusingRules;
  /** A buffer with a channel behind it. */
  readonly buffer: Insertable;
  readonly cache: Insertable;
}
