import { StageTopology, type Vertex } from '../../graph/stage-topology.ts';
import { ratio } from '../../math/ratio.ts';
import type { Interval } from '../../math/statistics.ts';
import { sumOf } from '../../math/totals.ts';
import { CONSUMER } from '../../model/consumer.ts';
import type { End } from '../../model/end.ts';
import type { Graph, Operator } from '../../model/graph.ts';
import type { Host } from '../../model/host.ts';
import type { Kind } from '../../model/kind.ts';
import type { Metric } from '../../model/metric.ts';
import {
  type BytesPerSecond,
  bytesPerSecond,
  type Cores,
  cores,
  NS_PER_SECOND,
  type Ns,
  ns,
  type Share,
  share,
} from '../../model/units.ts';
import { consumedEnd, endsOf } from '../ends.ts';
import { ownGrowth, type Timeline } from '../timeline.ts';
import { Account } from './account.ts';
import { type CallRates, callRates } from './calls.ts';
import { coresLeft } from './cores-left.ts';
import { busiestShare, busyOf, lanesOf, type StateShares, stateShares, wallOf } from './lane-states.ts';
import type { RunRows } from './operators.ts';
import { type CpuPart, divideStageCpu, NOTHING } from './stage-cpu.ts';
import { type SteadyPart, steadyPart } from './steady.ts';

/** Operational analysis of one operator (Plumber, §4): all per element that is counted. */
export interface OperatorRates {
  readonly id: string;
  readonly label: string;
  readonly kind: Kind;
  /** Vertex whose lanes run it. */
  readonly stage: string;
  readonly sequential: boolean;
  /** V = C / C₀: elements that leave it, or enter it where none do, per element that is counted. */
  readonly visitRatio: number;
  /** D = B / C₀, core-seconds. */
  readonly cpuDemand: Interval;
  /** Rate of one core, 1 / demand: counted elements per second and core; infinite where the demand is zero. */
  readonly resourceAccountedRate: number;
  /** CPU seconds per element of its own. */
  readonly cpuPerElement: number;
  /** Its part of the time that its stage sleeps per counted element, s. */
  readonly blockedDemand: number;
  /** Calls of its async function; undefined where it has none, or they were not recorded. */
  readonly calls: CallRates | undefined;
}

export interface StageRates {
  readonly id: string;
  readonly operators: readonly string[];
  readonly lanes: number;
  readonly states: StateShares;
  /** Part of its time on its work, of the mean lane and of the busiest. */
  readonly busy: Share;
  readonly busiest: Share;
  /** CPU per counted element in s, the engine's overhead included. */
  readonly cpuDemand: Interval;
  readonly overheadDemand: number;
  /** Time asleep outside the dataflow per counted element, s. */
  readonly blockedDemand: number;
  /** Bytes its lanes asked from storage per counted element, and those a device had to deliver. */
  readonly askedDemand: number;
  readonly fetchedDemand: number;
  /** Counted elements per second with the lanes it has, were it never kept waiting: lanes / (CPU + blocked). */
  readonly ceiling: number;
}

export interface ConsumerRates {
  /** Mean wait for an element of its own, and mean work on one, queueing for a core and receiving it left out. */
  readonly wait: Ns;
  readonly step: Ns;
  /** Elements it takes per element that is counted: fewer than one where others end in sinks. */
  readonly visitRatio: number;
  /** Seconds of its work per counted element. */
  readonly stepDemand: Interval;
  /** CPU seconds of its thread per counted element for receiving them; 0 where that was not recorded, and is part of its work. */
  readonly overheadDemand: number;
  readonly waitShare: Share;
  readonly busy: Share;
}

/** How a resource of the machine was used. */
export interface CpuUse {
  readonly usable: Cores;
  /** By this process. */
  readonly busy: Cores;
  /** By the process outside its lanes: the collector, the compiler, threads of user functions. */
  readonly outside: Cores;
  /** By other programs; undefined where the machine does not say. */
  readonly others: Cores | undefined;
  /** Left to this process by other programs: all it may use, where they use next to nothing. */
  readonly left: Cores;
  /** Of the cores the process may use. */
  readonly utilisation: Share;
}

export interface RunRates {
  /** Where elements are counted: all demands are per element that arrives there. */
  readonly ends: readonly End[];
  readonly steady: SteadyPart;
  /** Elements that came to their ends in the steady part. */
  readonly completions: number;
  /** Counted elements per second. */
  readonly rate: Interval;
  /** Half-width of the interval that holds the rate of one more fifth of the run / its mean. */
  readonly variation: number;
  readonly operators: readonly OperatorRates[];
  /** Upstream first, without the consumer. */
  readonly stages: readonly StageRates[];
  readonly consumer: ConsumerRates | undefined;
  readonly cpu: CpuUse;
  /** CPU seconds per counted element that no lane accounts for. */
  readonly outsideDemand: number;
  /** All CPU seconds of the process per counted element. */
  readonly totalDemand: Interval;
  readonly storage: { readonly asked: BytesPerSecond; readonly fetched: BytesPerSecond };
  readonly networkIn: BytesPerSecond | undefined;
}

export interface RateFacts {
  readonly graph: Graph;
  readonly host: Host;
  readonly rows: RunRows;
  readonly timeline: Timeline;
  /** The one operator whose elements are counted. */
  readonly root?: string | undefined;
  /** An operator whose output is cached: the steady part begins once that cache is full. */
  readonly filled?: string | undefined;
}

/** Demands and rates of a run over its steady part. */
export function runRates(facts: RateFacts): RunRates {
  const { graph, host, rows, timeline } = facts;
  const out = new Map(rows.operators.map(row => [row.id, row.elementsOut || row.elementsIn]));
  const slowest = new Map(rows.operators.map(row => [row.id, row.slowestCall]));
  const outOf = (id: string): number => out.get(id) ?? 0;
  const ends = endsOf(graph, outOf, facts.root);
  const consumed = consumedEnd(graph, outOf);
  const topology = new StageTopology(graph);
  const sources = graph.operators.filter(({ inputs }) => inputs.length === 0).map(({ id }) => id);
  const steady = steadyPart(timeline, ends, sources, facts.filled);
  const account = new Account(timeline, ends, steady);
  const staged = topology.vertices.filter(({ id }) => id !== CONSUMER);
  const stages = staged.map(vertex => stageRates(vertex, account));
  const consumer = topology.vertices.find(({ id }) => id === CONSUMER);
  const stageOf = new Map(stages.map(stage => [stage.id, stage]));
  const laneCpu = account.own(timeline.lanes, 'running');
  const processCpu = account.process('processCpu', 1000);
  const allCpu = Math.max(laneCpu, processCpu ?? 0);
  const outsideCpu = Math.max(0, (processCpu ?? 0) - laneCpu);
  const hostCpu = account.process('hostCpuBusy', 1000);
  const asCores = (time: number): Cores => cores(ratio(time, account.ns));
  const others = hostCpu === undefined ? undefined : asCores(Math.max(0, hostCpu - allCpu));
  const perSecond = (amount: number): BytesPerSecond => bytesPerSecond(ratio(amount, account.ns / NS_PER_SECOND));
  const ofStorage = (metric: Metric): BytesPerSecond => perSecond(account.own(timeline.lanes, metric));
  const network = account.process('hostNetworkIn', 1);
  const parts = new Map(topology.vertices.flatMap(vertex => [...partsOf(vertex, stageOf.get(vertex.id), account)]));
  return {
    ends,
    steady,
    completions: account.completions,
    rate: account.rate(),
    variation: account.variation(),
    operators: graph.operators.map(operator => {
      const vertex = topology.vertexOf(operator.id);
      const stage = vertex === undefined ? undefined : stageOf.get(vertex.id);
      const slowestCall = slowest.get(operator.id);
      return operatorRates(operator, stage, parts.get(operator.id) ?? NOTHING, account, out, slowestCall);
    }),
    stages,
    // Consumer of a pipeline that ends in sinks alone: it receives no elements, so it has no demand.
    consumer: consumer === undefined || consumed === undefined ? undefined : consumerRates(consumer, consumed, account),
    cpu: {
      usable: cores(host.coresUsable),
      busy: asCores(allCpu),
      outside: asCores(outsideCpu),
      others,
      left: coresLeft(host, asCores(allCpu), others),
      utilisation: share(ratio(asCores(allCpu), host.coresUsable)),
    },
    outsideDemand: account.each(outsideCpu) / NS_PER_SECOND,
    totalDemand: account.demand((from, to) => account.cpuBetween(from, to)),
    storage: { asked: ofStorage('storageAsked'), fetched: ofStorage('storageRead') },
    networkIn: network === undefined ? undefined : perSecond(network),
  };
}

function stageRates(vertex: Vertex, account: Account): StageRates {
  const lanes = lanesOf(account.timeline, vertex);
  const times = account.statesOf(lanes);
  const sum = (metric: Metric): number => account.own(lanes, metric);
  const states = stateShares(times);
  const work = account.each(sum('running') + sum('blocked')) / NS_PER_SECOND;
  return {
    id: vertex.id,
    operators: vertex.operators.map(({ id }) => id),
    lanes: lanes.length,
    states,
    busy: share(busyOf(states)),
    busiest: busiestShare(times),
    cpuDemand: account.demand((from, to) => ownGrowth(lanes, 'running', from, to)),
    overheadDemand: account.each(sum('overhead')) / NS_PER_SECOND,
    blockedDemand: account.each(Math.max(0, sum('blocked'))) / NS_PER_SECOND,
    askedDemand: account.each(sum('storageAsked')),
    fetchedDemand: account.each(sum('storageRead')),
    ceiling: work > 0 ? lanes.length / work : Number.POSITIVE_INFINITY,
  };
}

/** A stage's CPU without its overhead, divided among its operators as samples say; all per counted element, s. */
function partsOf(vertex: Vertex, stage: StageRates | undefined, account: Account): Map<string, CpuPart> {
  if (stage === undefined) return new Map();
  const cpu = Math.max(0, stage.cpuDemand.estimate - stage.overheadDemand);
  const toNs = account.completions * NS_PER_SECOND;
  const parts = divideStageCpu(
    cpu * toNs,
    vertex.operators.map(operator => account.sampled(operator)),
    stage.blockedDemand * toNs,
  );
  const each = (time: number): number => ratio(time, toNs);
  return new Map(
    vertex.operators.map(({ id }, at) => {
      const { cpu, low, high, asleep } = parts[at] ?? NOTHING;
      return [id, { cpu: each(cpu), low: each(low), high: each(high), asleep: each(asleep) }];
    }),
  );
}

function operatorRates(
  operator: Operator,
  stage: StageRates | undefined,
  part: CpuPart,
  account: Account,
  out: ReadonlyMap<string, number>,
  slowestCall: Ns | undefined,
): OperatorRates {
  const { id, label, kind, sequential } = operator;
  const { estimate, low, high, confidence } = stage?.cpuDemand ?? { estimate: 0, low: 0, high: 0, confidence: 0 };
  // Two sources of error, taken as independent: how the stage's CPU varies, and how samples divide it.
  const varies = ratio(Math.max(0, high - low), 2 * estimate);
  const divided = ratio(part.high - part.low, 2 * part.cpu) * (1.645 / 1.96);
  const error = Math.min(1, Math.hypot(varies, divided));
  const visits = account.completionsOf(id) || (out.get(id) ?? 0);
  const demand = part.cpu;
  return {
    id,
    label,
    kind,
    stage: stage?.id ?? id,
    // A batch that several lanes make has all of them.
    sequential: sequential && (stage?.lanes ?? 1) <= 1,
    visitRatio: ratio(visits, account.completions),
    cpuDemand: { estimate: demand, low: demand * (1 - error), high: demand * (1 + error), confidence },
    resourceAccountedRate: demand > 0 ? 1 / demand : Number.POSITIVE_INFINITY,
    cpuPerElement: ratio(demand * account.completions, visits),
    blockedDemand: part.asleep,
    calls: callRates(id, account, slowestCall),
  };
}

function consumerRates(vertex: Vertex, consumed: Operator, account: Account): ConsumerRates | undefined {
  const lanes = lanesOf(account.timeline, vertex);
  const times = account.statesOf(lanes);
  const wall = sumOf(times, wallOf);
  if (wall === 0) return undefined;
  const busy = sumOf(times, busyOf);
  const taken = account.of(consumed.id, 'elementsOut');
  const overhead = account.own(lanes, 'overhead');
  const growth = (metric: Metric, from: number, to: number): number => ownGrowth(lanes, metric, from, to);
  return {
    wait: ns(ratio(wall - busy, taken)),
    step: ns(ratio(Math.max(0, sumOf(times, each => each.running + each.blocked) - overhead), taken)),
    visitRatio: account.each(taken),
    stepDemand: account.demand((from, to) =>
      Math.max(0, growth('running', from, to) + growth('blocked', from, to) - growth('overhead', from, to)),
    ),
    overheadDemand: account.each(overhead) / NS_PER_SECOND,
    waitShare: share((wall - busy) / wall),
    busy: share(busy / wall),
  };
}
