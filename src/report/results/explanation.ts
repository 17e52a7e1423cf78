import type { Lowered } from '../../model/lowered.ts';

/** What `venturi explain` finds out: how a pipeline would run, by steps of its lowering. */
export interface Explanation extends Lowered {
  readonly schemaVersion: 1;
  readonly pipeline: string;
}
