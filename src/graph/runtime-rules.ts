import type { Operator } from '../model/graph.ts';
import type { FusingRules } from './stages.ts';

/** What a plan may put into a graph: operators as the runtime describes them, but for where they stand. */
export type Insertable = Omit<Operator, 'id' | 'inputs'>;

/** What a runtime does with a graph, for whoever reckons what a change to it would lead to. */
export interface RuntimeRules {
  readonly fusing: FusingRules;
  /** A buffer with a channel behind it. */
  readonly buffer: Insertable;
  readonly cache: Insertable;
}
