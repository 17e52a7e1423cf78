import type { StepDag } from '../../model/step-dag.ts';
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

/** The critical path of a rank's steps together, per step: through all of them where they depend on each other, else the sum of theirs. */
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
  const { nodes, duration } = criticalPath(dag, partsOf(trace, steps, dag));
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

/**
 * By node: the number of its part of the steps. Steps are in one part where something in a later one waits for an earlier one, as a thread does for its last op; between parts
 * nothing is known but that the steps came one after the other.
 */
function partsOf({ ops }: StepTrace, steps: readonly number[], dag: StepDag): Uint32Array {
  const places = new Map(steps.map((step, place) => [step, place]));
  const placeOf = Uint32Array.from(dag.op, op => places.get(ops.step[op] ?? -1) ?? 0);
  /** By place of a step: how many more dependencies reach from it or before to after it than from the step before. */
  const reaching = new Int32Array(steps.length + 1);
  for (let node = 0; node < dag.count; node++) {
    const to = dag.dependentsFrom[node + 1] ?? 0;
    for (let at = dag.dependentsFrom[node] ?? 0; at < to; at++) {
      const [one, other] = [placeOf[node] ?? 0, placeOf[dag.dependents[at] ?? 0] ?? 0];
      const [first, last] = [Math.min(one, other), Math.max(one, other)];
      reaching[first] = (reaching[first] ?? 0) + 1;
      reaching[last] = (reaching[last] ?? 0) - 1;
    }
  }
  let [open, part] = [0, 0];
  const partOf = steps.map((_, place) => {
    open += reaching[place] ?? 0;
    return open > 0 ? part : part++;
  });
  return placeOf.map(place => partOf[place] ?? 0);
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
