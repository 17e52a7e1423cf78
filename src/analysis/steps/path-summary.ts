import type { StepTrace } from '../../model/step-trace.ts';
import { type Ns, ns } from '../../model/units.ts';
import { criticalPath } from './critical-path.ts';
import { stepDag } from './dag.ts';
import { OpKinds } from './work.ts';

/** What a critical path is made of. */
export const PATH_PARTS = [
  'compute',
  'communication',
  'copy',
  'input',
  'operator',
  'call',
  'between',
  'latency',
] as const;
export type PathPart = (typeof PATH_PARTS)[number];

/** The critical path of a rank's steps together, per step. */
export interface PathSummary {
  readonly duration: Ns;
  /** `between`: the training thread is in no operator and no call, as a rule in Python. `latency`: from a launch to its start. */
  readonly parts: Readonly<Record<PathPart, Ns>>;
  /** Ops with the most time on the path, by name, and how many of a step are on it. */
  readonly ops: readonly { readonly name: string; readonly time: Ns; readonly count: number }[];
}

const MOST_OPS = 8;

export function pathSummary(trace: StepTrace, rank: number): PathSummary {
  const steps = [...trace.steps.keys()].filter(step => trace.steps[step]?.rank === rank);
  const dag = stepDag(trace, steps);
  const { nodes, duration } = criticalPath(dag);
  const kinds = new OpKinds(trace);
  const isInput = insideInput(trace, kinds);
  const parts = Object.fromEntries(PATH_PARTS.map(part => [part, 0])) as Record<PathPart, number>;
  const byName = new Map<string, { time: number; ops: Set<number> }>();
  let told = 0;
  for (const node of nodes) {
    const op = dag.op[node] ?? 0;
    const work = dag.work[node] ?? 0;
    told += work;
    parts[isInput[op] === 1 ? 'input' : partOf(kinds, op)] += work;
    // A mark of a step has the step's number in its name.
    const name = kinds.work(op) === 'other' ? kinds.name(op).replace(/[#\s]\d+$/, '') : kinds.name(op);
    const row = byName.get(name) ?? { time: 0, ops: new Set() };
    row.time += work;
    row.ops.add(op);
    byName.set(name, row);
  }
  parts.latency = Math.max(0, duration - told);
  const perStep = (time: number): Ns => ns(time / Math.max(1, steps.length));
  return {
    duration: perStep(duration),
    parts: Object.fromEntries(PATH_PARTS.map(part => [part, perStep(parts[part])])) as Record<PathPart, Ns>,
    ops: [...byName]
      .map(([name, { time, ops }]) => ({ name, time: perStep(time), count: ops.size / Math.max(1, steps.length) }))
      .sort((a, b) => b.time - a.time)
      .slice(0, MOST_OPS),
  };
}

/** 1 for an op that waits for the input or is part of its preparation. */
function insideInput({ ops }: StepTrace, kinds: OpKinds): Uint8Array {
  const inside = new Uint8Array(ops.count);
  for (let op = 0; op < ops.count; op++) {
    const parent = ops.parent[op] ?? -1;
    if (kinds.work(op) === 'input' || (parent >= 0 && inside[parent] === 1)) inside[op] = 1;
  }
  return inside;
}

function partOf(kinds: OpKinds, op: number): PathPart {
  const work = kinds.work(op);
  switch (work) {
    case 'compute':
    case 'communication':
    case 'copy':
    case 'input':
    case 'operator':
      return work;
    case 'launch':
    case 'runtime':
    case 'sync':
      return 'call';
    case 'parse':
      return 'communication';
    default:
      return kinds.resource(op) === 'host' ? 'between' : 'compute';
  }
}
