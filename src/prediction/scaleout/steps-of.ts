import { StepDags } from '../../analysis/steps/step-dags.ts';
import { greatest } from '../../math/totals.ts';
import { VenturiError } from '../../model/errors.ts';
import type { StepDag } from '../../model/step-dag.ts';
import type { StepAssumption, StepTrace } from '../../model/step-trace.ts';
import { NS_PER_SECOND } from '../../model/units.ts';
import { bytesMoved, collectiveAssumptions, isBarrier, needsAllWorkers } from './data-parallel.ts';
import { delaysOf } from './delays.ts';
import { parametersOf } from './parameters.ts';
import {
  COLLECTIVE,
  DOWNLINK,
  isLink,
  type ScaleoutProfile,
  type ScaleoutStep,
  SERVER,
  type StepGraph,
  UPLINK,
  WORKER,
} from './step.ts';

/** A trace's steps as a simulation takes them, and what had to be assumed. */
export interface ProfiledSteps {
  readonly profile: ScaleoutProfile;
  /** Threads and streams of the worker, each of which does one op at a time. */
  readonly lanes: number;
  /** Servers it was profiled with. */
  readonly servers: number;
  readonly hasServers: boolean;
  readonly hasCollectives: boolean;
  /** False where there are transfers or all-reduces, and the trace says of none how many bytes it moves. */
  readonly hasBytes: boolean;
  readonly assumptions: readonly StepAssumption[];
}

/** The steps of the first rank. */
export function stepsOf(trace: StepTrace, batchSize: number): ProfiledSteps {
  const ofCollectives = collectiveAssumptions(trace);
  const numbers = trace.steps.flatMap(({ rank }, step) => (rank === 0 ? [step] : []));
  const servers = serverPositions(trace);
  const graphs: StepGraph[] = [];
  const known = new Map<string, number>();
  const steps: ScaleoutStep[] = [];
  let unknown = 0;
  let transfers = 0;
  const dags = new StepDags(trace);
  for (const number of numbers) {
    const dag = dags.of(number);
    if (dag.count === 0) continue;
    const order = namedOrder(trace, dag);
    const graph = graphOf(trace, dag, order, servers);
    const moving = order.filter(
      (node, op) => movesBytes(graph.resources[op] ?? WORKER) && !isBarrier(trace, dag.op[node] ?? 0),
    );
    transfers += moving.length;
    unknown += moving.filter(node => bytesOf(trace, dag, node) === undefined).length;
    const signature = JSON.stringify(graph);
    const at = known.get(signature) ?? graphs.push(graph) - 1;
    known.set(signature, at);
    steps.push(stepOf(trace, dag, order, number, at, graph));
  }
  if (steps.length === 0) {
    throw new VenturiError('VENTURI_STEPS_NONE', 'The trace has no step with ops in it.', {
      remedy: 'Record a few steps with the profiler, or say which annotation marks one: --step-marker NAME',
    });
  }
  const used = new Set(graphs.flatMap(({ resources }) => resources));
  const ranks = trace.ranks.length;
  const { lanes, isOrdered } = lanesOf(trace);
  return {
    profile: { batchSize, graphs, steps, orderedLanes: isOrdered ? lanes : undefined },
    // More than there are ops would have nothing to do.
    lanes: Math.min(lanes, greatest(graphs.map(({ names }) => names.length))),
    servers: 1 + greatest([0, ...graphs.map(({ recordedServers }) => greatest(recordedServers))]),
    hasServers: used.has(DOWNLINK) || used.has(UPLINK) || used.has(SERVER),
    hasCollectives: used.has(COLLECTIVE),
    hasBytes: unknown < transfers || transfers === 0,
    assumptions: [
      ...ofCollectives,
      ...(unknown > 0
        ? [{ what: 'transfers without a size: they take no time on a link', count: unknown, of: transfers }]
        : []),
      ...(ranks > 1 ? [{ what: 'ranks left out: steps are those of the first', count: ranks - 1, of: ranks }] : []),
    ],
  };
}

const movesBytes = (resource: number): boolean => isLink(resource) || resource === COLLECTIVE;

/**
 * Nodes in the order in which their names first appear in the trace. So ops of all steps that do the same have the same numbers, and of transfers that are
 * ready at once, that which the trace names first is sent first.
 */
const namedOrder = ({ ops }: StepTrace, dag: StepDag): number[] =>
  [...dag.op.keys()].sort((a, b) => (ops.name[dag.op[a] ?? 0] ?? 0) - (ops.name[dag.op[b] ?? 0] ?? 0) || a - b);

function graphOf(
  trace: StepTrace,
  dag: StepDag,
  order: readonly number[],
  positions: ReadonlyMap<number, number>,
): StepGraph {
  const { ops } = trace;
  const numbers = new Int32Array(dag.count);
  for (const [number, node] of order.entries()) numbers[node] = number;
  const resources = order.map(node => resourceOf(trace, dag, node));
  const bytes = order.map((node, number) => {
    return movesBytes(resources[number] ?? WORKER) ? (bytesOf(trace, dag, node) ?? 0) : 0;
  });
  const opening = openingTransfers(dag, node => resources[numbers[node] ?? 0] ?? WORKER);
  const offsets = [0];
  const dependents: number[] = [];
  for (const node of order) {
    const own = dag.dependents
      .subarray(dag.dependentsFrom[node], dag.dependentsFrom[node + 1])
      .filter(dependent => opening[dependent] === 0);
    for (const dependent of Int32Array.from(own, one => numbers[one] ?? 0).sort()) dependents.push(dependent);
    offsets.push(dependents.length);
  }
  const names = order.map(node => ops.names[ops.name[dag.op[node] ?? 0] ?? 0] ?? '');
  const servers = order.map(node => positions.get(trace.resources[dag.resource[node] ?? 0]?.server ?? 0) ?? 0);
  const graph = { names, resources, bytes, offsets, dependents };
  return { ...graph, ...parametersOf(graph, servers) };
}

/** Undefined where the trace does not say. */
function bytesOf(trace: StepTrace, dag: StepDag, node: number): number | undefined {
  return bytesMoved(trace, dag.bytes[node] ?? Number.NaN, dag.op[node] ?? 0);
}

/**
 * By node: 1 for a transfer that waits, however indirectly, for nothing but what servers do at the beginning of a step, as the reading of parameters. Servers have
 * no one to wait for there, so these transfers begin when they are asked for, in the order in which they are.
 */
function openingTransfers(dag: StepDag, resource: (node: number) => number): Uint8Array {
  const isLater = new Uint8Array(dag.count);
  const waiting = dag.waitsFor.slice();
  const ready = [...waiting.keys()].filter(node => waiting[node] === 0);
  for (let node = ready.pop(); node !== undefined; node = ready.pop()) {
    const passesOn = isLater[node] === 1 || resource(node) !== SERVER;
    for (const dependent of dag.dependents.subarray(dag.dependentsFrom[node], dag.dependentsFrom[node + 1])) {
      if (passesOn) isLater[dependent] = 1;
      waiting[dependent] = (waiting[dependent] ?? 0) - 1;
      if (waiting[dependent] === 0) ready.push(dependent);
    }
  }
  return isLater.map((later, node) => (later === 0 && resource(node) === DOWNLINK ? 1 : 0));
}

/** Servers by their numbers in the trace, which need not be consecutive. */
function serverPositions({ resources }: StepTrace): ReadonlyMap<number, number> {
  const numbers = new Set(resources.flatMap(({ server }) => (server === undefined ? [] : [server])));
  return new Map([...numbers].sort((a, b) => a - b).map((number, position) => [number, position]));
}

function resourceOf(trace: StepTrace, dag: StepDag, node: number): number {
  const kind = trace.resources[dag.resource[node] ?? 0]?.kind;
  if (kind === 'downlink') return DOWNLINK;
  if (kind === 'uplink') return UPLINK;
  if (kind === 'server') return SERVER;
  return needsAllWorkers(trace, dag.op[node] ?? 0) ? COLLECTIVE : WORKER;
}

function stepOf(
  trace: StepTrace,
  dag: StepDag,
  order: readonly number[],
  number: number,
  at: number,
  graph: StepGraph,
): ScaleoutStep {
  const { start = 0, duration = 0 } = trace.steps[number] ?? {};
  const work = dag.work.slice();
  // A launch that came late delays what it launched, whatever else that waits for.
  for (const [edge, node] of dag.dependents.entries()) work[node] = (work[node] ?? 0) + (dag.delay[edge] ?? 0);
  const starts = order.map(node => Math.max(0, (dag.start[node] ?? 0) - start) / NS_PER_SECOND);
  const ends = order.map(node => Math.max(0, (dag.end[node] ?? 0) - start) / NS_PER_SECOND);
  return {
    graph: at,
    durations: order.map(node => (work[node] ?? 0) / NS_PER_SECOND),
    starts,
    ends,
    delays: delaysOf(
      graph,
      starts,
      ends,
      order.map(node => dag.resource[node] ?? 0),
      trace,
    ),
    guessed: order.flatMap((node, op) =>
      isLink(graph.resources[op] ?? WORKER) && trace.ops.guessed[dag.op[node] ?? 0] === 1 ? [op] : [],
    ),
    duration: duration / NS_PER_SECOND,
    busiest: busiestOf(trace, dag) / NS_PER_SECOND,
  };
}

/** Work of the thread or stream with most of it, ns; communication takes none of theirs. */
function busiestOf(trace: StepTrace, dag: StepDag): number {
  const sums = new Float64Array(trace.resources.length);
  for (const [node, resource] of dag.resource.entries()) {
    if (resourceOf(trace, dag, node) === WORKER) sums[resource] = (sums[resource] ?? 0) + (dag.work[node] ?? 0);
  }
  return sums.reduce((most, sum) => Math.max(most, sum), 0);
}

/** Threads and streams of the first rank that do something, and whether each does one op after the other. */
function lanesOf({ resources, ops, steps }: StepTrace): { readonly lanes: number; readonly isOrdered: boolean } {
  const used = new Set<number>();
  for (let op = 0; op < ops.count; op++) {
    if (steps[ops.step[op] ?? -1]?.rank === 0) used.add(ops.resource[op] ?? 0);
  }
  let lanes = 0;
  let isOrdered = true;
  for (const at of used) {
    const { kind, lanes: own = 1, ordered } = resources[at] ?? {};
    if (kind !== 'host' && kind !== 'device') continue;
    lanes += own;
    isOrdered &&= ordered === true;
  }
  return { lanes: Math.max(1, lanes), isOrdered };
}
