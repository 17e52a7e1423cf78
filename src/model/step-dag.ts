/**
 * Steps as a simulator takes them: nodes that occupy one resource for some time, each after all it waits for. Nodes are pieces of ops: an op that
 * encloses others is one piece before, between and after them, and one that waits is what it does itself, without the wait.
 */
export interface StepDag {
  readonly count: number;
  /** Position of the op in the trace. */
  readonly op: Uint32Array;
  /** Position of the resource in the trace. */
  readonly resource: Uint32Array;
  /** Time for which it occupies the resource, ns. */
  readonly work: Float64Array;
  /** Bytes of the op, on its first piece alone; NaN where it has none. */
  readonly bytes: Float64Array;
  /** Recorded start, ns from the trace's base. Nodes are in this order; of those that start together, pieces of one resource as they ran. */
  readonly start: Float64Array;
  /** Recorded end, ns. */
  readonly end: Float64Array;
  /** Number of nodes it waits for. */
  readonly waitsFor: Uint32Array;
  /** Nodes that wait for node n: `dependents[dependentsFrom[n]]` up to, not with, `dependents[dependentsFrom[n + 1]]`. */
  readonly dependentsFrom: Uint32Array;
  readonly dependents: Uint32Array;
  /** Position in `DEPENDENCY_CAUSES` of each of `dependents`. */
  readonly cause: Uint8Array;
  /** Time in ns that recorded work started after the launch, where it waited for nothing else: the latency of the launch. 0 for other edges. */
  readonly delay: Float64Array;
}
