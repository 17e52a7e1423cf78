import type { Graph } from '../../model/graph.ts';

/** What `venturi explain` finds out: how a pipeline would run, by steps of its lowering. */
export interface Explanation {
  readonly schemaVersion: 1;
  readonly pipeline: string;
  readonly graph: Graph;
  readonly stages: readonly ExplainedStage[];
}

export interface ExplainedStage {
  readonly id: string;
  /** Operators whose function is only made in the lane: whether it is async, or asks for its element's number, is known there. */
  readonly setUp: readonly string[];
  readonly loops: readonly ExplainedLoop[];
}

/** A generated loop. Its first line is line 1. */
export interface ExplainedLoop {
  readonly file: string;
  /** The async operator behind it, whose calls are awaited. */
  readonly awaits: string | undefined;
  readonly lines: readonly ExplainedLine[];
}

export interface ExplainedLine {
  readonly text: string;
  /** Undefined where the line is the engine's own. */
  readonly operator: string | undefined;
  readonly task: string;
}
