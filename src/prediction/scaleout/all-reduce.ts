import { entryOf } from '../../math/groups.ts';
import { greatest } from '../../math/totals.ts';
import { COLLECTIVE, type ScaleoutProfile, type StepGraph, UPLINK, WORKER } from './step.ts';
import { eachDependent, topologicalOrder } from './topology.ts';

export const ALGORITHMS = ['ring', 'tree'] as const;
export type Algorithm = (typeof ALGORITHMS)[number];

/** What an all-reduce goes over. Bandwidths in bytes per second and direction, latencies in seconds of one message. */
export interface Fabric {
  readonly algorithm: Algorithm;
  /** Workers of a host; between them there is NVLink or PCIe, between hosts the network. */
  readonly perHost: number;
  readonly insideBandwidth: number;
  readonly insideLatency: number;
  readonly networkBandwidth: number;
  readonly networkLatency: number;
}

/**
 * Seconds in which `workers` all-reduce so many bytes. Ring: 2 (n - 1) messages of 1 / n of the bytes. Tree: two binary trees, each for half of the
 * bytes, so that every worker sends and receives all of them twice, over 2 log₂ n messages (NCCL's). On several hosts with several workers each, the bytes
 * are reduced and scattered inside each host, all-reduced between hosts through one card each, and gathered inside again.
 */
export function allReduceTime(fabric: Fabric, workers: number, bytes: number): number {
  const { algorithm, perHost, insideBandwidth, insideLatency, networkBandwidth, networkLatency } = fabric;
  const hosts = Math.ceil(workers / perHost);
  const inside = Math.min(workers, perHost);
  if (hosts === 1) return reduceTime(algorithm, inside, bytes, insideBandwidth, insideLatency);
  const between = reduceTime(algorithm, hosts, bytes, networkBandwidth, networkLatency);
  // A reduce-scatter and an all-gather are the two halves of a ring all-reduce.
  return between + reduceTime('ring', inside, bytes, insideBandwidth, insideLatency);
}

function reduceTime(algorithm: Algorithm, count: number, bytes: number, bandwidth: number, latency: number): number {
  if (count === 1) return 0;
  if (algorithm === 'tree') return (2 * bytes) / bandwidth + 2 * Math.ceil(Math.log2(count)) * latency;
  return 2 * (count - 1) * (bytes / count / bandwidth + latency);
}

/**
 * The profile with gradients all-reduced in buckets in place of parameter servers: transfers from servers and updates on them go, and what is
 * sent to servers is collected in the order in which it is computed until a bucket is full (as DistributedDataParallel does). A bucket waits for its
 * gradients and for the bucket before; a step that was recorded with collectives keeps them.
 */
export function withAllReduce(profile: ScaleoutProfile, bucketBytes: number): ScaleoutProfile {
  const reduced = profile.graphs.map((graph, at) =>
    reducedGraph(graph, profile.steps.find(step => step.graph === at)?.starts ?? [], bucketBytes),
  );
  const kinds = new Map<string, number>();
  return {
    batchSize: profile.batchSize,
    graphs: reduced.map(({ graph }) => graph),
    steps: profile.steps.map(step => {
      const { kept = [], graph, collectives = '' } = reduced[step.graph] ?? {};
      const kind = entryOf(kinds, collectives, () => kinds.size);
      const pick = (column: readonly number[]): number[] =>
        (graph?.names ?? []).map((_, op) => (op < kept.length ? (column[kept[op] ?? 0] ?? 0) : 0));
      return { ...step, kind, durations: pick(step.durations), starts: pick(step.starts), delays: undefined };
    }),
  };
}

interface ReducedGraph {
  readonly graph: StepGraph;
  /** Ops of the graph that stay. Buckets come after them. */
  readonly kept: readonly number[];
  /** The same for steps that workers can do at a time: bytes of recorded collectives, in order, or the number of buckets. */
  readonly collectives: string;
}

function reducedGraph(graph: StepGraph, starts: readonly number[], bucketBytes: number): ReducedGraph {
  const buckets = graph.resources.includes(COLLECTIVE) ? [] : bucketsOf(graph, starts, bucketBytes);
  const kept = graph.resources.flatMap((resource, op) => (resource === WORKER || resource === COLLECTIVE ? [op] : []));
  const numbers = new Map(kept.map((op, number) => [op, number]));
  const dependents: number[][] = Array.from({ length: kept.length + buckets.length }, () => []);
  for (const op of kept) {
    eachDependent(graph, op, dependent => {
      const number = numbers.get(dependent);
      if (number !== undefined) dependents[numbers.get(op) ?? 0]?.push(number);
    });
  }
  for (const [at, bucket] of buckets.entries()) {
    for (const producer of bucket.producers) dependents[numbers.get(producer) ?? 0]?.push(kept.length + at);
    if (at > 0) dependents[kept.length + at - 1]?.push(kept.length + at);
  }
  const chain = collectiveChain(graph, starts);
  chainCollectives(
    chain.map(op => numbers.get(op) ?? 0),
    dependents,
  );
  const offsets = [0];
  for (const each of dependents) offsets.push((offsets.at(-1) ?? 0) + each.length);
  return {
    kept,
    collectives: [buckets.length, ...chain.map(op => graph.bytes[op] ?? 0)].join(' '),
    graph: {
      names: [...kept.map(op => graph.names[op] ?? ''), ...buckets.map((_, at) => `all-reduce ${at + 1}`)],
      resources: [...kept.map(op => graph.resources[op] ?? WORKER), ...buckets.map(() => COLLECTIVE)],
      bytes: [...kept.map(op => graph.bytes[op] ?? 0), ...buckets.map(({ bytes }) => bytes)],
      parameters: dependents.map(() => -1),
      recordedServers: [],
      offsets,
      dependents: dependents.flat(),
    },
  };
}

/** Collectives as recorded, in the order in which they were. */
function collectiveChain(graph: StepGraph, starts: readonly number[]): number[] {
  const positions = computedOrder(graph, starts);
  return graph.resources
    .flatMap((resource, op) => (resource === COLLECTIVE ? [op] : []))
    .sort((a, b) => (positions[a] ?? 0) - (positions[b] ?? 0));
}

/** Collectives of one communicator run one after the other, in the same order on every worker. */
function chainCollectives(chain: readonly number[], dependents: readonly number[][]): void {
  for (const [at, number] of chain.entries()) {
    const before = at > 0 ? dependents[chain[at - 1] ?? 0] : undefined;
    if (before !== undefined && !before.includes(number)) before.push(number);
  }
}

interface Bucket {
  readonly bytes: number;
  /** Ops of the worker that compute its gradients. */
  readonly producers: ReadonlySet<number>;
}

function bucketsOf(graph: StepGraph, starts: readonly number[], limit: number): Bucket[] {
  const gradients = graph.resources.flatMap((resource, op) => (resource === UPLINK ? [op] : []));
  const producersOf = new Map<number, number[]>(gradients.map(op => [op, []]));
  for (const op of topologicalOrder(graph)) {
    eachDependent(graph, op, dependent => {
      producersOf.get(dependent)?.push(op);
    });
  }
  const positions = computedOrder(graph, starts);
  const readyAt = (op: number): number =>
    greatest([-1, ...(producersOf.get(op) ?? []).map(producer => positions[producer] ?? 0)]);
  const buckets: { bytes: number; producers: Set<number> }[] = [];
  for (const op of gradients.sort((a, b) => readyAt(a) - readyAt(b) || a - b)) {
    let last = buckets.at(-1);
    if (last === undefined || last.bytes >= limit) {
      last = { bytes: 0, producers: new Set() };
      buckets.push(last);
    }
    last.bytes += graph.bytes[op] ?? 0;
    for (const producer of producersOf.get(op) ?? []) {
      if (graph.resources[producer] === WORKER) last.producers.add(producer);
    }
  }
  return buckets;
}

/** By op: its position among all, by recorded start where steps have one, else such that each comes after what it waits for. */
function computedOrder(graph: StepGraph, starts: readonly number[]): Float64Array {
  const order = [...topologicalOrder(graph)].sort((a, b) => (starts[a] ?? 0) - (starts[b] ?? 0));
  const positions = new Float64Array(order.length);
  for (const [position, op] of order.entries()) positions[op] = position;
  return positions;
}
