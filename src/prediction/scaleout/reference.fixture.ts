import { Random } from '../../math/random.ts';
import type { Cluster, StepSettings } from './cluster.ts';
import { ranksOf } from './order.ts';
import { serversOf } from './partition.ts';
import { DOWNLINK, isLink, type ScaleoutProfile, type ScaleoutStep, UPLINK, WORKER } from './step.ts';

/**
 * The paper's algorithm 3.1 with R1-R9 and R12-R13, as one would write it down: objects, lists, and every event looks at every running chunk. What
 * the fast simulation must agree with, and what it is measured against.
 */
export function referenceSimulation(
  profile: ScaleoutProfile,
  settings: StepSettings,
  cluster: Cluster,
  extent: { readonly steps: number; readonly warmUp: number; readonly seed: number },
): { readonly throughput: number; readonly events: number; readonly ends: readonly (readonly number[])[] } {
  const random = new Random();
  const workers: Worker[] = Array.from({ length: cluster.workers }, (_, id) => ({
    id,
    speed: cluster.speeds[id] ?? 1,
    queues: new Map(),
    running: new Map(),
    opsLeft: 0,
    begun: 0,
    ends: [],
    counted: [],
  }));
  let running: Chunk[] = [];
  /** Ops that wait for no other, and are not in line yet. */
  let late: { readonly at: number; readonly worker: Worker; readonly op: Op }[] = [];
  let now = 0;
  let events = 0;
  let atBarrier = 0;

  const startStep = (worker: Worker): void => {
    random.rekey(extent.seed, 0, worker.id, worker.begun++, 0);
    const step = profile.steps[random.int(profile.steps.length)] as ScaleoutStep;
    const ops = opsOf(profile, settings, step);
    worker.opsLeft = ops.length;
    for (const op of ops
      .filter(({ waitsFor }) => waitsFor === 0)
      .sort((a, b) => a.key - b.key || a.ended - b.ended || a.index - b.index)) {
      ready(worker, op);
    }
  };

  const ready = (worker: Worker, op: Op): void => {
    if (op.delay > 0) late.push({ at: now + op.delay, worker, op });
    else queue(worker, op);
  };

  const queue = (worker: Worker, op: Op): void => {
    const waiting = worker.queues.get(op.unit) ?? [];
    worker.queues.set(op.unit, waiting);
    waiting.push(op);
    const lanes = op.unit === 'worker' ? cluster.lanes : op.unit === 'parser' ? Number.POSITIVE_INFINITY : 1;
    if ((worker.running.get(op.unit) ?? 0) < lanes) dispatch(worker, op.unit);
  };

  const dispatch = (worker: Worker, unit: string): void => {
    const waiting = worker.queues.get(unit) ?? [];
    const fresh = waiting.findIndex(({ left, work }) => left === work);
    const op = waiting.splice(cluster.multiplexing === 'fresh' && fresh >= 0 ? fresh : 0, 1)[0];
    if (op === undefined) return;
    worker.running.set(unit, (worker.running.get(unit) ?? 0) + 1);
    const window = op.unit.startsWith('up') ? (cluster.uplinkWindow ?? cluster.window) : cluster.window;
    const isCut =
      op.isLink &&
      cluster.multiplexing !== 'whole' &&
      op.left > window &&
      (op.left === op.work || cluster.multiplexing === 'cycle');
    const size = isCut ? window : op.left;
    op.left -= size;
    running.push({ worker, op, remaining: op.isOnWorker ? size / worker.speed : size });
  };

  const end = ({ worker, op }: Chunk): void => {
    events++;
    if (op.left > 0) worker.queues.get(op.unit)?.push(op);
    else {
      for (const dependent of op.dependents) {
        dependent.waitsFor--;
        if (dependent.waitsFor === 0) ready(worker, dependent);
      }
      worker.opsLeft--;
    }
    worker.running.set(op.unit, (worker.running.get(op.unit) ?? 0) - 1);
    dispatch(worker, op.unit);
    if (worker.opsLeft > 0) return;
    worker.ends.push(now);
    if (cluster.mode === 'async') {
      worker.counted.push(now);
      startStep(worker);
    } else if (++atBarrier === workers.length) {
      atBarrier = 0;
      for (const each of workers) each.counted.push(now);
      for (const each of workers) startStep(each);
    }
  };

  for (const worker of workers) startStep(worker);
  while (workers.every(({ counted }) => counted.length < extent.steps)) {
    const rates = ratesOf(running, cluster);
    let first = 0;
    let least = Number.POSITIVE_INFINITY;
    for (const [at, { remaining }] of running.entries()) {
      const time = remaining / (rates[at] as number);
      if (time >= least) continue;
      first = at;
      least = time;
    }
    const next = late.reduce<(typeof late)[number] | undefined>((a, b) => (a && a.at <= b.at ? a : b), undefined);
    const isLate = next !== undefined && next.at - now <= least;
    if (isLate) least = next.at - now;
    const ended = running[first] as Chunk;
    for (const [at, chunk] of running.entries()) chunk.remaining -= least * (rates[at] as number);
    now += least;
    if (isLate) {
      late = late.filter(each => each !== next);
      queue(next.worker, next.op);
    } else {
      running = running.filter(chunk => chunk !== ended);
      end(ended);
    }
  }
  const from = Math.max(...workers.map(({ counted }) => counted[extent.warmUp - 1] ?? 0));
  const steps = workers.flatMap(({ counted }) => counted.filter(moment => moment > from)).length;
  return {
    throughput: (profile.batchSize * steps) / (now - from),
    events,
    ends: workers.map(({ ends }) => ends),
  };
}

interface Op {
  readonly index: number;
  readonly unit: string;
  readonly isLink: boolean;
  readonly isOnWorker: boolean;
  readonly server: number;
  /** Bytes or seconds, and what is not yet dispatched of them. */
  readonly work: number;
  left: number;
  readonly key: number;
  /** Until it is in line. */
  readonly delay: number;
  /** Recorded duration of a transfer. */
  readonly ended: number;
  waitsFor: number;
  readonly dependents: Op[];
}

interface Worker {
  readonly id: number;
  readonly speed: number;
  readonly queues: Map<string, Op[]>;
  readonly running: Map<string, number>;
  opsLeft: number;
  begun: number;
  readonly ends: number[];
  /** When each step counted: at its end, or when all passed the barrier. */
  readonly counted: number[];
}

interface Chunk {
  readonly worker: Worker;
  readonly op: Op;
  /** Bytes or seconds. */
  remaining: number;
}

function opsOf(profile: ScaleoutProfile, settings: StepSettings, step: ScaleoutStep): Op[] {
  const graph = profile.graphs[step.graph];
  if (graph === undefined) throw new Error('The step has no graph.');
  const servers = serversOf(graph, settings.partition, settings.servers);
  const ranks = ranksOf(graph, settings.order, settings.orderSeed);
  const { perByte, perMessage } = settings.overhead;
  const make = (index: number, kind: number, isParsing: boolean): Op => {
    const server = servers[graph.parameters[index] ?? 0] ?? 0;
    const isTransfer = isLink(kind) && !isParsing;
    const work = isParsing ? perByte * (graph.bytes[index] ?? 0) + perMessage : (step.durations[index] ?? 0);
    const isBeside = isParsing && settings.parse === 'beside';
    const onWorker = isParsing ? kind === DOWNLINK && !isBeside : kind === WORKER;
    const elsewhere = isTransfer ? (kind === UPLINK ? 'up' : 'down') : 'server';
    const size = isTransfer ? (graph.bytes[index] ?? 0) : work;
    return {
      index,
      unit: isBeside ? 'parser' : onWorker ? 'worker' : `${elsewhere}${server}`,
      isLink: isTransfer,
      isOnWorker: onWorker,
      server,
      work: size,
      left: size,
      key: (kind === DOWNLINK ? ranks?.[index] : step.starts[index]) ?? step.starts[index] ?? 0,
      delay: isParsing ? 0 : (step.delays?.[index] ?? 0),
      ended: kind === DOWNLINK ? (step.durations[index] ?? 0) : 0,
      waitsFor: 0,
      dependents: [],
    };
  };
  const ops = graph.resources.map((kind, index) => make(index, kind, false));
  const parsers = graph.resources.map((kind, index) =>
    isLink(kind) && perByte + perMessage > 0 ? make(index, kind, true) : undefined,
  );
  const edge = (from: Op, to: Op): void => {
    from.dependents.push(to);
    to.waitsFor++;
  };
  for (const [index, op] of ops.entries()) {
    const parser = parsers[index];
    if (parser !== undefined) edge(op, parser);
    for (const to of graph.dependents.slice(graph.offsets[index], graph.offsets[index + 1])) {
      edge(parser ?? op, ops[to] as Op);
    }
  }
  return [...ops, ...parsers.filter(parser => parser !== undefined)];
}

/** Bytes or seconds per second of each running chunk. */
function ratesOf(running: readonly Chunk[], cluster: Cluster): number[] {
  const { serverBandwidths, hostBandwidths, perHost } = cluster;
  const isPlain = serverBandwidths.length === 1 && hostBandwidths.every(each => each >= (serverBandwidths[0] ?? 0));
  if (!isPlain || perHost > 1) return maxMinRates(running, cluster);
  const bandwidth = serverBandwidths[0] ?? 0;
  let down = 0;
  let up = 0;
  for (const { op } of running) {
    if (op.unit === 'down0') down++;
    else if (op.unit === 'up0') up++;
  }
  return running.map(({ op }) => (op.isLink ? bandwidth / (op.unit === 'down0' ? down : up) : 1));
}

/** All flows grow together; those of a resource that is full stop growing. */
function maxMinRates(running: readonly Chunk[], { serverBandwidths, hostBandwidths, perHost }: Cluster): number[] {
  const rates: number[] = running.map(({ op }) => (op.isLink ? 0 : 1));
  for (const direction of ['down', 'up']) {
    const resources = [
      ...serverBandwidths.map((capacity, server) => ({ capacity, has: ({ op }: Chunk) => op.server === server })),
      ...hostBandwidths.map((capacity, host) => ({
        capacity,
        has: ({ worker }: Chunk) => Math.floor(worker.id / perHost) === host,
      })),
    ];
    const isFlow = ({ op }: Chunk): boolean => op.isLink && op.unit.startsWith(direction);
    let growing = [...running.keys()].filter(at => isFlow(running[at] as Chunk));
    while (growing.length > 0) {
      const rooms = resources.map(({ capacity, has }) => {
        const taken = running.reduce(
          (sum, chunk, at) => (isFlow(chunk) && has(chunk) ? sum + (rates[at] ?? 0) : sum),
          0,
        );
        const count = growing.filter(at => has(running[at] as Chunk)).length;
        return count === 0 ? Number.POSITIVE_INFINITY : (capacity - taken) / count;
      });
      const room = Math.min(...rooms);
      const full = resources[rooms.indexOf(room)];
      for (const at of growing) rates[at] = (rates[at] ?? 0) + room;
      growing = growing.filter(at => full?.has(running[at] as Chunk) !== true);
    }
  }
  return rates;
}
