import { Random } from '../../math/random.ts';
import { VenturiError } from '../../model/errors.ts';
import type { Order } from './cluster.ts';
import { DOWNLINK, isLink, SERVER, type StepGraph } from './step.ts';
import { eachDependent, topologicalOrder } from './topology.ts';

/** By op: the rank of a transfer from a server, lower first; undefined where they are sent as recorded. */
export function ranksOf(graph: StepGraph, order: Order, seed: number): Float64Array | undefined {
  if (order === 'recorded') return undefined;
  const transfers = graph.resources.flatMap((resource, op) => (resource === DOWNLINK ? [op] : []));
  const sorted = typeof order === 'string' ? sortedBy(graph, order, transfers, seed) : given(graph, order, transfers);
  const ranks = new Float64Array(graph.names.length);
  for (const [rank, op] of sorted.entries()) ranks[op] = rank;
  return ranks;
}

/**
 * By op: the transfer that is sent where this one was recorded. Where servers read one parameter after the other, a transfer waits for its own reading: in another order the
 * parameters of a server are read in that order, the first of them when the first was.
 */
export function inPlaceOf(graph: StepGraph, ranks: Float64Array, servers: Int32Array): ReadonlyMap<number, number> {
  /** By server, in the order in which they are read. */
  const read = new Map<number, Set<number>>();
  for (const op of topologicalOrder(graph)) {
    if (graph.resources[op] !== SERVER) continue;
    eachDependent(graph, op, dependent => {
      if (graph.resources[dependent] !== DOWNLINK) return;
      const server = servers[graph.parameters[dependent] ?? 0] ?? 0;
      read.set(server, (read.get(server) ?? new Set()).add(dependent));
    });
  }
  const places = new Map<number, number>();
  for (const transfers of read.values()) {
    const recorded = [...transfers];
    const sorted = recorded.toSorted((a, b) => (ranks[a] as number) - (ranks[b] as number));
    for (const [at, op] of recorded.entries()) places.set(op, sorted[at] ?? op);
  }
  return places;
}

function sortedBy(graph: StepGraph, order: string, transfers: number[], seed: number): number[] {
  if (order === 'random') return shuffled(transfers, seed);
  const layers = layersOf(graph);
  const byLayer = transfers.sort((a, b) => (layers[a] as number) - (layers[b] as number) || a - b);
  if (order === 'layer') return byLayer;
  const priorities = ticPriorities(graph, transfers);
  // The sort is stable: of equal priorities, the earlier layer goes first.
  const tic = byLayer.sort((a, b) => (priorities[a] as number) - (priorities[b] as number));
  return order === 'reverse' ? tic.reverse() : tic;
}

/** By op: how many computations lie on the longest way to its first dependent computation. */
function layersOf(graph: StepGraph): Float64Array {
  const depths = new Float64Array(graph.names.length);
  const layers = new Float64Array(graph.names.length).fill(Number.POSITIVE_INFINITY);
  const order = topologicalOrder(graph);
  for (const op of order) {
    const depth = (depths[op] as number) + (isLink(graph.resources[op] ?? 0) ? 0 : 1);
    eachDependent(graph, op, dependent => {
      depths[dependent] = Math.max(depths[dependent] as number, depth);
    });
  }
  for (const op of order) {
    eachDependent(graph, op, dependent => {
      layers[op] = Math.min(layers[op] as number, depths[dependent] as number);
    });
  }
  return layers;
}

/**
 * M⁺ of TicTac's timing-independent scheduling (Hashemi et al., SysML 2019, algorithms 1 and 2): over all ops that wait, however indirectly, for a
 * transfer and at least one other, the least number of transfers such an op waits for. What lets computation begin with the
 * fewest transfers is sent first.
 */
export function ticPriorities(graph: StepGraph, transfers: readonly number[]): Float64Array {
  const count = transfers.length;
  /** By op × transfers + position: 1 where it waits for that transfer. */
  const awaits = new Uint8Array(graph.names.length * count);
  const priorities = new Float64Array(graph.names.length).fill(Number.POSITIVE_INFINITY);
  for (const [position, op] of transfers.entries()) awaits[op * count + position] = 1;
  for (const op of topologicalOrder(graph)) {
    const own = awaits.subarray(op * count, (op + 1) * count);
    eachDependent(graph, op, dependent => {
      for (let position = 0; position < count; position++) {
        if (own[position] === 1) awaits[dependent * count + position] = 1;
      }
    });
    if (graph.resources[op] === DOWNLINK) continue;
    const awaited = transfers.filter((_, position) => own[position] === 1);
    if (awaited.length < 2) continue;
    for (const transfer of awaited) {
      priorities[transfer] = Math.min(priorities[transfer] as number, awaited.length);
    }
  }
  return priorities;
}

/** Fisher and Yates's. */
function shuffled(ops: number[], seed: number): number[] {
  const random = new Random();
  random.rekey(seed, 0, 0, 0, 0);
  for (let at = ops.length - 1; at > 0; at--) {
    const other = random.int(at + 1);
    [ops[at], ops[other]] = [ops[other] as number, ops[at] as number];
  }
  return ops;
}

function given(graph: StepGraph, names: readonly string[], transfers: readonly number[]): number[] {
  const ranks = new Map(names.map((name, rank) => [name, rank]));
  const sent = new Set(transfers.map(op => graph.names[op]));
  const unknown = names.find(name => !sent.has(name));
  if (unknown !== undefined) {
    throw new VenturiError('VENTURI_BAD_OPTION', `No transfer from a server is called ${unknown}.`, {
      remedy: `Name transfers of the trace in the wanted order, for example ${[...sent].slice(0, 2).join(', ')}.`,
    });
  }
  const rankOf = (op: number): number => ranks.get(graph.names[op] ?? '') ?? names.length;
  return [...transfers].sort((a, b) => rankOf(a) - rankOf(b) || a - b);
}
