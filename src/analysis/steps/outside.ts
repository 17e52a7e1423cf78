import { DEPENDENCY_RELATIONS, OP_WORK, type StepTrace } from '../../model/step-trace.ts';

/** What ops of some steps waited for that is not in these steps: it explains why they were late, and is no time of their own. */
export interface Outside {
  /** By op: when the op before it on its device's stream ended, whichever step that is of; -∞ where there is none. */
  readonly streamFree: Float64Array;
  /** By op: when the last op outside ended for whose end it waited before it ended itself; -∞ where there is none. */
  readonly awaited: Float64Array;
}

const ANNOTATION = OP_WORK.indexOf('annotation');
const END_END = DEPENDENCY_RELATIONS.indexOf('end-end');

/** `isOutside(one, other)`: op `one` is not in the DAG that has op `other`. */
export function outsideOf(trace: StepTrace, isOutside: (one: number, other: number) => boolean): Outside {
  const { ops, resources, dependencies } = trace;
  const endOf = (op: number): number => (ops.start[op] ?? 0) + (ops.duration[op] ?? 0);
  const streamFree = new Float64Array(ops.count).fill(Number.NEGATIVE_INFINITY);
  const last = new Int32Array(resources.length).fill(-1);
  const isStream = resources.map(({ ordered, kind }) => ordered === true && kind !== 'host');
  for (let op = 0; op < ops.count; op++) {
    const resource = ops.resource[op] ?? 0;
    if (isStream[resource] !== true || ops.work[op] === ANNOTATION) continue;
    const before = last[resource] ?? -1;
    if (before >= 0) streamFree[op] = endOf(before);
    last[resource] = op;
  }
  const awaited = new Float64Array(ops.count).fill(Number.NEGATIVE_INFINITY);
  for (let at = 0; at < dependencies.count; at++) {
    if (dependencies.relation[at] !== END_END) continue;
    const [one, other] = [dependencies.from[at] ?? 0, dependencies.to[at] ?? 0];
    if (isOutside(one, other)) awaited[other] = Math.max(awaited[other] ?? Number.NEGATIVE_INFINITY, endOf(one));
  }
  return { streamFree, awaited };
}
