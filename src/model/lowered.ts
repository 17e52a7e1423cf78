import type { Graph } from './graph.ts';

/** A pipeline lowered as far as it can be without a run: graph → stages → tasks → generated code. */
export interface Lowered {
  readonly graph: Graph;
  /** In the order of the graph's stages. */
  readonly stages: readonly LoweredStage[];
}

export interface LoweredStage {
  readonly id: string;
  /** Operators whose function is only made in the lane: whether it is async, or asks for its element's number, is known there. Their code is that of a plain function of an element. */
  readonly setUp: readonly string[];
  readonly loops: readonly LoweredLoop[];
}

/** A generated loop. Its first line is line 1. */
export interface LoweredLoop {
  readonly file: string;
  /** The async operator behind it, whose calls are awaited. */
  readonly awaits: string | undefined;
  readonly lines: readonly LoweredLine[];
}

export interface LoweredLine {
  readonly text: string;
  /** Undefined where the line is the engine's own. */
  readonly operator: string | undefined;
  readonly task: string;
}
