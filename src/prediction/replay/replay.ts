import { topologicalOrder } from '../../analysis/steps/critical-path.ts';
import { stepDag } from '../../analysis/steps/dag.ts';
import type { StepDag } from '../../model/step-dag.ts';
import { DEPENDENCY_CAUSES, type StepTrace } from '../../model/step-trace.ts';
import { fitOverheads, isBetweenOps, nextName, type Overheads } from './overheads.ts';

const LAUNCH = DEPENDENCY_CAUSES.indexOf('launch');
const STREAM = DEPENDENCY_CAUSES.indexOf('stream');

/**
 * Steps as they come out when every op takes its recorded time and starts as soon as all it waits for has ended. No time at which an op started in
 * the recording is used, and no time in which a device did nothing.
 */
export interface Replay {
  /** Positions of the steps in the trace. */
  readonly steps: readonly number[];
  /** Time of each, from the end of the one before, ns. */
  readonly durations: readonly number[];
  /** When each node ends, ns from the beginning. */
  readonly ends: Float64Array;
}

/** Replays a DAG of steps of a rank. Ops of a resource that has no order start when they can, as if it had room for all. */
export function replaySteps(trace: StepTrace, dag: StepDag, steps: readonly number[], overheads: Overheads): Replay {
  const ends = replayDag(trace, dag, overheads);
  const endOfStep = new Map<number, number>();
  for (let node = 0; node < dag.count; node++) {
    if (trace.resources[dag.resource[node] ?? 0]?.kind !== 'host') continue;
    const step = trace.ops.step[dag.op[node] ?? 0] ?? -1;
    endOfStep.set(step, Math.max(endOfStep.get(step) ?? 0, ends[node] ?? 0));
  }
  let before = 0;
  const durations = steps.map(step => {
    const end = endOfStep.get(step) ?? before;
    const duration = end - before;
    before = end;
    return duration;
  });
  return { steps, durations, ends };
}

/** When each node of a DAG ends. */
export function replayDag(trace: StepTrace, dag: StepDag, overheads: Overheads): Float64Array {
  const { count, work, dependentsFrom, dependents, cause } = dag;
  const ready = new Float64Array(count);
  const ends = new Float64Array(count);
  for (const node of topologicalOrder(dag)) {
    const own = isBetweenOps(trace, dag, node) ? untraced(trace, dag, node, overheads) : (work[node] ?? 0);
    const end = (ready[node] ?? 0) + own;
    ends[node] = end;
    const to = dependentsFrom[node + 1] ?? 0;
    for (let at = dependentsFrom[node] ?? 0; at < to; at++) {
      const other = dependents[at] ?? 0;
      const delay = cause[at] === LAUNCH ? overheads.launch : cause[at] === STREAM ? overheads.handOver : 0;
      if (end + delay > (ready[other] ?? 0)) ready[other] = end + delay;
    }
  }
  return ends;
}

const untraced = (trace: StepTrace, dag: StepDag, node: number, { beforeOp, between }: Overheads): number =>
  beforeOp.get(nextName(trace, dag, node)) ?? between;

/** Mean error of replayed steps, in parts of their recorded time: overheads are fitted to one half of a rank's steps and tested on the other, in turn. */
export function replayError(trace: StepTrace, rank = 0): number {
  const steps = [...trace.steps.keys()].filter(step => trace.steps[step]?.rank === rank);
  const half = Math.ceil(steps.length / 2);
  const dag = stepDag(trace, steps);
  const errors = [steps.slice(0, half), steps.slice(half)].flatMap(fitted => {
    const overheads = fitOverheads(trace, dag, fitted);
    const { durations } = replaySteps(trace, dag, steps, overheads);
    return steps.flatMap((step, at) => {
      if (fitted.includes(step)) return [];
      const recorded = trace.steps[step]?.duration ?? 0;
      return Math.abs((durations[at] ?? 0) - recorded) / recorded;
    });
  });
  return errors.reduce((sum, error) => sum + error, 0) / errors.length;
}
