import { COLLECTIVE, type ScaleoutProfile, type ScaleoutStep, type StepGraph, WORKER } from './step.ts';
import { eachDependent, topologicalOrder } from './topology.ts';

/**
 * The profile with nothing but collectives and, between them, the longest paths of computation: the same step in tens of ops instead of tens of
 * thousands. It is exact where no op waits for a lane, since then a collective begins when the longest path to it has ended. For profiles of
 * `withAllReduce`, in which collectives follow each other. A step whose paths could be as many as its ops stays as it is.
 */
export function condensed(profile: ScaleoutProfile): ScaleoutProfile {
  const made = profile.steps.map(step => condensedStep(profile.graphs[step.graph] as StepGraph, step));
  return {
    ...profile,
    graphs: made.map(({ graph }) => graph),
    steps: made.map(({ step }, graph) => ({ ...step, graph })),
  };
}

interface CondensedStep {
  readonly graph: StepGraph;
  readonly step: ScaleoutStep;
}

/** A path of computation. Positions of collectives in their order; from -1: from the start of the step; up to their number: to its end. */
interface Path {
  readonly from: number;
  readonly to: number;
  readonly seconds: number;
}

function condensedStep(graph: StepGraph, step: ScaleoutStep): CondensedStep {
  const order = topologicalOrder(graph);
  const collectives = [...order].filter(op => graph.resources[op] === COLLECTIVE);
  const count = collectives.length;
  if (count * count >= order.length) return { graph, step };
  const paths = neededPaths(longestPaths(graph, step, order, collectives), count);
  // Collectives first, then paths.
  const dependents: number[][] = collectives.map((_, at) => (at + 1 < count ? [at + 1] : []));
  for (const [at, { from, to }] of paths.entries()) {
    dependents[from]?.push(count + at);
    dependents.push(to < count ? [to] : []);
  }
  const offsets = [0];
  for (const own of dependents) offsets.push((offsets.at(-1) ?? 0) + own.length);
  const nameOf = (at: number): string => graph.names[collectives[at] ?? -1] ?? (at < 0 ? 'start' : 'end');
  return {
    graph: {
      names: [
        ...collectives.map((_, at) => nameOf(at)),
        ...paths.map(({ from, to }) => `${nameOf(from)} to ${nameOf(to)}`),
      ],
      resources: [...collectives.map(() => COLLECTIVE), ...paths.map(() => WORKER)],
      bytes: [...collectives.map(op => graph.bytes[op] ?? 0), ...paths.map(() => 0)],
      parameters: dependents.map(() => -1),
      recordedServers: [],
      offsets,
      dependents: dependents.flat(),
    },
    step: {
      ...step,
      durations: [...collectives.map(op => step.durations[op] ?? 0), ...paths.map(({ seconds }) => seconds)],
      starts: [...collectives.map(op => step.starts[op] ?? 0), ...paths.map(() => 0)],
    },
  };
}

/** By start (first that of the step, then each collective) and end (each collective, then that of the step): seconds; -Infinity where no path leads. */
function longestPaths(
  graph: StepGraph,
  { durations }: ScaleoutStep,
  order: Int32Array,
  collectives: readonly number[],
): Float64Array[] {
  const positions = new Map(collectives.map((op, at) => [op, at]));
  return [-1, ...collectives].map(source => {
    const longest = new Float64Array(collectives.length + 1).fill(Number.NEGATIVE_INFINITY);
    /** By op: when all it waits for have ended. */
    const ready = new Float64Array(order.length).fill(source < 0 ? 0 : Number.NEGATIVE_INFINITY);
    for (const op of order) {
      const position = positions.get(op);
      const isSource = op === source;
      if (position !== undefined && !isSource) {
        longest[position] = ready[op] as number;
        continue;
      }
      const end = isSource ? 0 : (ready[op] as number) + (durations[op] ?? 0);
      if (end === Number.NEGATIVE_INFINITY) continue;
      longest[collectives.length] = Math.max(longest[collectives.length] as number, end);
      eachDependent(graph, op, dependent => {
        ready[dependent] = Math.max(ready[dependent] as number, end);
      });
    }
    return longest;
  });
}

/** Those that take longer than any way over a collective between. */
function neededPaths(longest: readonly Float64Array[], count: number): Path[] {
  const secondsOf = (from: number, to: number): number => longest[from + 1]?.[to] ?? Number.NEGATIVE_INFINITY;
  const paths: Path[] = [];
  for (let from = -1; from < count; from++) {
    for (let to = from + 1; to <= count; to++) {
      const seconds = secondsOf(from, to);
      let around = 0;
      for (let between = from + 1; between < to; between++) {
        around = Math.max(around, Math.max(0, secondsOf(from, between)) + Math.max(0, secondsOf(between, to)));
      }
      if (seconds > around) paths.push({ from, to, seconds });
    }
  }
  return paths;
}
