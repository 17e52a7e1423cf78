import { sumOf } from '../../math/totals.ts';
import type { StepDag } from '../../model/step-dag.ts';

/** Nodes of the longest path through a DAG, in order, and its length in ns. */
export interface CriticalPath {
  readonly nodes: Uint32Array;
  readonly duration: number;
}

/**
 * The longest path by the nodes' own times and the latencies of launches: what has to be faster for the whole to be faster. Of equally long ways
 * that of the predecessor which ended last in the recording is taken. `partOf`, by node: parts of the DAG that do not depend on each other and ran one after the
 * other, from 0; their paths are added up.
 */
export function criticalPath(dag: StepDag, partOf: Uint32Array = new Uint32Array(dag.count)): CriticalPath {
  const { count, work, end, dependentsFrom, dependents, delay } = dag;
  const ready = new Float64Array(count);
  const finish = new Float64Array(count);
  const before = new Int32Array(count).fill(-1);
  /** By part: the node that ends last. */
  const last: number[] = [];
  for (const node of topologicalOrder(dag)) {
    finish[node] = (ready[node] ?? 0) + (work[node] ?? 0);
    const part = partOf[node] ?? 0;
    if ((finish[node] ?? 0) > (finish[last[part] ?? -1] ?? -1)) last[part] = node;
    const to = dependentsFrom[node + 1] ?? 0;
    for (let at = dependentsFrom[node] ?? 0; at < to; at++) {
      const other = dependents[at] ?? 0;
      const rival = before[other] ?? -1;
      const reached = (finish[node] ?? 0) + (delay[at] ?? 0);
      const difference = rival < 0 ? 1 : reached - (ready[other] ?? 0);
      if (difference < 0 || (difference === 0 && (end[node] ?? 0) <= (end[rival] ?? 0))) continue;
      before[other] = node;
      ready[other] = reached;
    }
  }
  const path: number[] = [];
  for (const end of last.toReversed()) for (let node = end ?? -1; node >= 0; node = before[node] ?? -1) path.push(node);
  return { nodes: Uint32Array.from(path.reverse()), duration: sumOf(last, end => finish[end ?? -1] ?? 0) };
}

/** Nodes so that each comes after all it waits for. The DAG has no circle: `stepDag` refuses those. */
export function topologicalOrder({ count, waitsFor, dependentsFrom, dependents }: StepDag): Uint32Array {
  const waiting = waitsFor.slice();
  const order = new Uint32Array(count);
  let [taken, found] = [0, 0];
  for (let node = 0; node < count; node++) if (waiting[node] === 0) order[found++] = node;
  while (taken < found) {
    const node = order[taken++] ?? 0;
    const to = dependentsFrom[node + 1] ?? 0;
    for (let at = dependentsFrom[node] ?? 0; at < to; at++) {
      const other = dependents[at] ?? 0;
      const left = (waiting[other] ?? 0) - 1;
      waiting[other] = left;
      if (left === 0) order[found++] = other;
    }
  }
  return order.subarray(0, found);
}
