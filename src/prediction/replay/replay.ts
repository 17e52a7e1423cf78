import { topologicalOrder } from '../../analysis/steps/critical-path.ts';
import { stepDag } from '../../analysis/steps/dag.ts';
import { mean } from '../../math/statistics.ts';
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
function replayDag(trace: StepTrace, dag: StepDag, overheads: Overheads): Float64Array {
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

/** A step that was replayed with overheads fitted to others. */
export interface HeldOutStep {
  /** Its number as the program counts. */
  readonly number: number;
  /** ns. */
  readonly recorded: number;
  readonly replayed: number;
}

/**
 * Steps of a rank, replayed with overheads of steps that they are not among: fitted to the first half for those of the second, and the other way
 * round. Empty where there are fewer than two.
 */
export function replayHeldOut(trace: StepTrace, rank: number): readonly HeldOutStep[] {
  const steps = [...trace.steps.keys()].filter(step => trace.steps[step]?.rank === rank);
  if (steps.length < 2) return [];
  const dag = stepDag(trace, steps);
  const half = Math.ceil(steps.length / 2);
  const replayWith = (fitted: readonly number[]): readonly number[] =>
    replaySteps(trace, dag, steps, fitOverheads(trace, dag, fitted)).durations;
  const [ofFirst, ofSecond] = [replayWith(steps.slice(half)), replayWith(steps.slice(0, half))];
  return steps.map((step, at) => ({
    number: trace.steps[step]?.number ?? 0,
    recorded: trace.steps[step]?.duration ?? 0,
    replayed: (at < half ? ofFirst : ofSecond)[at] ?? 0,
  }));
}

/** Mean of |replayed - recorded| / recorded. */
export const meanError = (steps: readonly HeldOutStep[]): number =>
  mean(steps.map(({ recorded, replayed }) => Math.abs(replayed - recorded) / recorded));
