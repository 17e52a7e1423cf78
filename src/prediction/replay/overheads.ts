import { entryOf } from '../../math/groups.ts';
import { mean, median } from '../../math/statistics.ts';
import type { StepDag } from '../../model/step-dag.ts';
import { DEPENDENCY_CAUSES, OP_WORK, type StepTrace } from '../../model/step-trace.ts';

/** Times that no op of a trace has, ns: fitted to some of its steps. */
export interface Overheads {
  /** From a launch to the start of the work on a stream that is free. */
  readonly launch: number;
  /** Between two ops of a stream of which the second was launched in time. */
  readonly handOver: number;
  /** What a thread does between two ops, as a rule in Python, by the name of the second; -1 stands for the end of the step. */
  readonly beforeOp: ReadonlyMap<number, number>;
  /** The same, whatever the op. */
  readonly between: number;
}

const LAUNCH = DEPENDENCY_CAUSES.indexOf('launch');
const STREAM = DEPENDENCY_CAUSES.indexOf('stream');
const THREAD = DEPENDENCY_CAUSES.indexOf('thread');
const OTHER = OP_WORK.indexOf('other');

/** Whether a node is time of a thread in which it is in no operator and no call. */
export const isBetweenOps = ({ ops, resources }: StepTrace, dag: StepDag, node: number): boolean =>
  ops.work[dag.op[node] ?? 0] === OTHER && resources[dag.resource[node] ?? 0]?.kind === 'host';

/** Name of the op that a thread goes on with after a node; -1 where the node is the last of its op. */
export function nextName({ ops }: StepTrace, dag: StepDag, node: number): number {
  const end = dag.dependentsFrom[node + 1] ?? 0;
  for (let at = dag.dependentsFrom[node] ?? 0; at < end; at++) {
    const other = dag.dependents[at] ?? 0;
    if (dag.cause[at] !== THREAD || dag.resource[other] !== dag.resource[node]) continue;
    const op = dag.op[other] ?? 0;
    return ops.parent[op] === dag.op[node] ? (ops.name[op] ?? -1) : -1;
  }
  return -1;
}

/** Fits overheads to some steps of a DAG. */
export function fitOverheads(trace: StepTrace, dag: StepDag, steps: readonly number[]): Overheads {
  const isFitted = new Set(steps);
  const counts = (node: number): boolean => isFitted.has(trace.ops.step[dag.op[node] ?? 0] ?? -1);
  const launches: number[] = [];
  const handOvers: number[] = [];
  const gaps = new Map<number, number[]>();
  const launchedAt = new Float64Array(dag.count).fill(Number.NaN);
  forEachEdge(dag, (from, to, at) => {
    if (dag.cause[at] !== LAUNCH) return;
    launchedAt[to] = dag.end[from] ?? 0;
    if (counts(to) && (dag.delay[at] ?? 0) > 0) launches.push(dag.delay[at] ?? 0);
  });
  forEachEdge(dag, (from, to, at) => {
    const gap = (dag.start[to] ?? 0) - (dag.end[from] ?? 0);
    const isQueued = (launchedAt[to] ?? 0) < (dag.end[from] ?? 0);
    if (dag.cause[at] === STREAM && counts(to) && isQueued && gap >= 0) handOvers.push(gap);
  });
  for (let node = 0; node < dag.count; node++) {
    if (!counts(node) || !isBetweenOps(trace, dag, node)) continue;
    const name = nextName(trace, dag, node);
    entryOf(gaps, name, () => []).push(dag.work[node] ?? 0);
  }
  const all = [...gaps.values()].flat();
  return {
    launch: launches.length === 0 ? 0 : median(launches),
    handOver: handOvers.length === 0 ? 0 : median(handOvers),
    beforeOp: new Map([...gaps].map(([name, times]) => [name, mean(times)])),
    between: all.length === 0 ? 0 : mean(all),
  };
}

function forEachEdge(
  { count, dependentsFrom, dependents }: StepDag,
  visit: (from: number, to: number, at: number) => void,
): void {
  for (let node = 0; node < count; node++) {
    const end = dependentsFrom[node + 1] ?? 0;
    for (let at = dependentsFrom[node] ?? 0; at < end; at++) visit(node, dependents[at] ?? 0, at);
  }
}
