import { ratio } from '../../math/ratio.ts';
import { sumOf } from '../../math/totals.ts';
import type { End } from '../../model/end.ts';
import type { Graph, Operator, Stage } from '../../model/graph.ts';
import { kindNamed } from '../../model/kind.ts';
import type { Metric } from '../../model/metric.ts';
import { subject } from '../../model/record.ts';
import type { RecordBlock } from '../../model/span.ts';
import { STATES } from '../../model/state.ts';
import {
  bytes,
  cores,
  elements,
  elementsPerSecond,
  NS_PER_SECOND,
  type Ns,
  ns,
  type Share,
  share,
} from '../../model/units.ts';
import { endsOf } from '../ends.ts';
import { CounterFold, type LaneCounters, type Readings } from './counters.ts';
import { byState } from './lane-states.ts';
import type { ChannelRow, LaneRow, OperatorRow, RunTotals, Waiting } from './rows.ts';
import { type CpuPart, divideStageCpu, NOTHING, sampledOf } from './stage-cpu.ts';

export interface RunRows {
  readonly operators: readonly OperatorRow[];
  readonly lanes: readonly LaneRow[];
  readonly channels: readonly ChannelRow[];
  readonly totals: RunTotals;
}

/** Counters of one lane, with the engine's overhead apart. */
interface LaneAccount {
  readonly counters: LaneCounters;
  readonly row: LaneRow;
  /** CPU of its thread, ns. */
  readonly cpu: number;
  /** Part of that CPU which was the engine's own. */
  readonly overheadShare: number;
}

/** Sums a run's counters up to rows, one per operator, lane and channel. Feed it every block, then ask. */
export class OperatorSummary {
  readonly #fold = new CounterFold();

  block(block: RecordBlock, subjects: readonly string[]): void {
    this.#fold.block(block, subjects);
  }

  result(graph: Graph | undefined, durationNs: number): RunRows {
    const lanes = this.#fold.lanes().map(laneAccount);
    const known = graph ?? { operators: namedOperators(lanes), channels: [], stages: [], fingerprint: '' };
    const overheadCpu = sumOf(lanes, lane => lane.cpu * lane.overheadShare);
    const operators = operatorRows(known, lanes, overheadCpu, durationNs);
    return {
      operators,
      lanes: lanes.map(lane => lane.row).filter(row => row.wall > 0),
      channels: channelRows(known, lanes, durationNs),
      totals: runTotals(known, operators, lanes, overheadCpu, durationNs),
    };
  }
}

const last = (readings: Readings | undefined, metric: Metric): number => readings?.[metric]?.last ?? 0;
const isOwn = (key: string): boolean => key === subject.lane || key.startsWith(`${subject.lane}:`);

function laneAccount(counters: LaneCounters): LaneAccount {
  const entries = [...counters.subjects];
  const own = entries.find(([key]) => isOwn(key))?.[1];
  const states = byState(state => ns(last(own, state)));
  const overhead = last(own, 'overhead');
  const counted = sumOf(entries, ([key, readings]) => (isOwn(key) ? 0 : last(readings, 'cpu')));
  const cpu = Math.max(states.running, counted);
  return {
    counters,
    cpu,
    overheadShare: Math.min(1, ratio(overhead, cpu)),
    row: {
      name: counters.lane.name,
      ...states,
      wall: ns(sumOf(STATES, state => states[state])),
      overhead: ns(overhead),
      storageAsked: bytes(last(own, 'storageAsked')),
      storageRead: bytes(last(own, 'storageRead')),
    },
  };
}

/** Stands in for the graph of a run that was cut before it was known. */
function namedOperators(lanes: readonly LaneAccount[]): Operator[] {
  const prefix = subject.operator('');
  const keys = new Set(lanes.flatMap(lane => [...lane.counters.subjects.keys()]));
  return [...keys]
    .filter(key => key.startsWith(prefix))
    .map(key => key.slice(prefix.length))
    .map(id => ({
      id,
      kind: kindNamed('unknown'),
      label: id,
      inputs: [],
      settings: {},
      elements: 'any',
      sequential: false,
      keepsOrder: false,
      keepsValues: false,
      work: 'own',
      origin: true,
    }));
}

/** Sum over all lanes; undefined where no lane counted it. */
function total(lanes: readonly LaneAccount[], key: string, metric: Metric): number | undefined {
  let sum: number | undefined;
  for (const { counters } of lanes) {
    const reading = counters.subjects.get(key)?.[metric];
    if (reading !== undefined) sum = (sum ?? 0) + reading.last;
  }
  return sum;
}

function operatorRows(
  graph: Graph,
  lanes: readonly LaneAccount[],
  overheadCpu: number,
  durationNs: number,
): OperatorRow[] {
  const stages = new Map(graph.stages.flatMap(stage => stage.operators.map(id => [id, stage] as const)));
  const byId = new Map(graph.operators.map(operator => [operator.id, operator]));
  const parts = new Map(graph.stages.flatMap(stage => stageParts(stage, lanes, byId)));
  const partOf = (id: string): CpuPart => {
    const cpu = total(lanes, subject.operator(id), 'cpu') ?? 0;
    return parts.get(id) ?? { cpu, low: cpu, high: cpu, asleep: 0 };
  };
  const allCpu = overheadCpu + sumOf(graph.operators, ({ id }) => partOf(id).cpu);

  return graph.operators.map(({ id, label, kind }) => {
    const key = subject.operator(id);
    const stage = stages.get(id);
    const stageKey = stage === undefined ? undefined : subject.stage(stage.id);
    const its = lanes.filter(
      ({ counters }) => counters.subjects.has(key) || (stageKey !== undefined && counters.subjects.has(stageKey)),
    );
    const part = partOf(id);
    const elementsIn = total(lanes, key, 'elementsIn') ?? 0;
    const elementsOut = total(lanes, key, 'elementsOut') ?? 0;
    // What leaves a stage leaves its last operator.
    const isLast = stage !== undefined && stage.operators.at(-1) === id;
    const bytesOut =
      total(lanes, key, 'bytesOut') ?? (isLast ? total(lanes, subject.stage(stage.id), 'bytesOut') : undefined);
    return {
      id,
      label,
      kind,
      lanes: its.length,
      elementsIn: elements(elementsIn),
      elementsOut: elements(elementsOut),
      elementsPerSecond: elementsPerSecond(ratio(elementsOut || elementsIn, durationNs / NS_PER_SECOND)),
      cpuNs: ns(part.cpu),
      cpuShare: share(ratio(part.cpu, allCpu)),
      cpuIntervalNs: [ns(part.low), ns(part.high)],
      cores: cores(ratio(part.cpu, durationNs)),
      bytesOut: bytesOut === undefined ? undefined : bytes(bytesOut),
      arraysOut: total(lanes, key, 'arraysOut'),
      objectsOut: total(lanes, key, 'objectsOut'),
      stayingElements: total(lanes, key, 'stayingElements'),
      keyedDraws: total(lanes, key, 'keyedDraws'),
      ambientDraws: total(lanes, key, 'ambientDraws'),
      slowestCall: fromMicroseconds(extreme(lanes, key, 'slowestCall', 'most')),
      waiting: waiting(its),
    };
  });
}

/** The stage's CPU without the engine's overhead, divided among its operators. Samples of all its lanes count together. */
function stageParts(
  stage: Stage,
  lanes: readonly LaneAccount[],
  byId: ReadonlyMap<string, Operator>,
): (readonly [string, CpuPart])[] {
  const key = subject.stage(stage.id);
  const its = lanes.filter(({ counters }) => counters.subjects.get(key)?.cpu !== undefined);
  if (its.length === 0) return [];
  const members = stage.operators.flatMap(id => byId.get(id) ?? []);
  const cpu = sumOf(its, lane => last(lane.counters.subjects.get(key), 'cpu') * (1 - lane.overheadShare));
  const parts = divideStageCpu(
    cpu,
    members.map(operator => {
      const timed = (metric: Metric): number => total(lanes, subject.operator(operator.id), metric) ?? 0;
      return sampledOf(operator, timed('elementsIn'), timed);
    }),
    sumOf(its, ({ row }) => row.blocked),
  );
  return members.map(({ id }, at) => [id, parts[at] ?? NOTHING] as const);
}

function waiting(lanes: readonly LaneAccount[]): Waiting {
  const wall = sumOf(lanes, ({ row }) => row.wall);
  const part = (state: keyof Waiting): Share =>
    share(
      ratio(
        sumOf(lanes, ({ row }) => row[state]),
        wall,
      ),
    );
  return {
    starved: part('starved'),
    backpressured: part('backpressured'),
    blocked: part('blocked'),
    runnable: part('runnable'),
  };
}

function channelRows(graph: Graph, lanes: readonly LaneAccount[], durationNs: number): ChannelRow[] {
  return graph.channels.map(({ id, from, to, slots }) => {
    const key = subject.channel(id);
    const meanOccupancy = ratio(total(lanes, key, 'occupancy') ?? 0, durationNs);
    const saturatedShare = share(Math.min(1, ratio(total(lanes, key, 'saturated') ?? 0, durationNs)));
    const seen = extreme(lanes, key, 'chunksQueued', 'most');
    return {
      id,
      from,
      to,
      slots,
      meanOccupancy,
      // The gauge is sampled, while the mean and the time full count every change. Fewer large chunks fill it, too.
      peakOccupancy:
        seen === undefined
          ? undefined
          : saturatedShare > 0 && meanOccupancy >= saturatedShare * slots
            ? slots
            : Math.min(slots, Math.max(seen, Math.ceil(meanOccupancy))),
      saturatedShare,
      ...inParts(lanes, key),
    };
  });
}

function inParts(
  lanes: readonly LaneAccount[],
  key: string,
): Pick<ChannelRow, 'chunksInParts' | 'largestInParts' | 'shareInParts'> {
  const chunks = total(lanes, key, 'chunksInParts') ?? 0;
  const its = (metric: Metric): number => total(lanes, key, metric) ?? 0;
  return {
    chunksInParts: chunks === 0 ? undefined : chunks,
    largestInParts: chunks === 0 ? undefined : bytes(extreme(lanes, key, 'largestInParts', 'most') ?? 0),
    shareInParts: chunks === 0 ? undefined : share(ratio(its('bytesInParts'), its('bytesHandedOn'))),
  };
}

function extreme(
  lanes: readonly LaneAccount[],
  key: string,
  metric: Metric,
  end: 'most' | 'least',
): number | undefined {
  const values = lanes.flatMap(({ counters }) => counters.subjects.get(key)?.[metric]?.[end] ?? []);
  if (values.length === 0) return undefined;
  return end === 'most' ? Math.max(...values) : Math.min(...values);
}

/** Time of many cores or calls together is counted in µs. */
const fromMicroseconds = (time: number | undefined): Ns | undefined =>
  time === undefined ? undefined : ns(time * 1000);

function runTotals(
  graph: Graph,
  operators: readonly OperatorRow[],
  lanes: readonly LaneAccount[],
  overheadCpu: number,
  durationNs: number,
): RunTotals {
  const rows = new Map(operators.map(row => [row.id, row]));
  const ends = endsOf(graph, id => rows.get(id)?.elementsOut ?? 0);
  const at = ({ operator, counted }: End): number => rows.get(operator)?.[counted] ?? 0;
  const arrived = sumOf(ends, at);
  const laneCpu = sumOf(lanes, lane => lane.cpu);
  const processCpu = fromMicroseconds(total(lanes, subject.process, 'processCpu'));
  const sized = (value: number | undefined) => (value === undefined ? undefined : bytes(value));
  const lanesTotal = (metric: 'storageAsked' | 'storageRead'): number | undefined =>
    lanes.length === 0 ? undefined : sumOf(lanes, ({ row }) => row[metric]);
  return {
    elements: elements(arrived),
    elementsPerSecond: elementsPerSecond(ratio(arrived, durationNs / NS_PER_SECOND)),
    ends,
    bytes: bytes(sumOf(ends, ({ operator }) => rows.get(operator)?.bytesOut ?? 0)),
    laneCpu: ns(laneCpu),
    overheadCpu: ns(overheadCpu),
    processCpu,
    outsideLanesCpu: processCpu === undefined ? undefined : ns(Math.max(0, processCpu - laneCpu)),
    coresBusy: cores(ratio(processCpu ?? laneCpu, durationNs)),
    peakResident: sized(extreme(lanes, subject.process, 'residentMemory', 'most')),
    storageAsked: sized(total(lanes, subject.process, 'storageAsked') ?? lanesTotal('storageAsked')),
    storageRead: sized(total(lanes, subject.process, 'storageRead') ?? lanesTotal('storageRead')),
    storageWritten: sized(total(lanes, subject.process, 'storageWritten')),
    hostCpuBusy: fromMicroseconds(total(lanes, subject.host, 'hostCpuBusy')),
    hostMemoryLeast: sized(extreme(lanes, subject.host, 'hostMemoryAvailable', 'least')),
    diskRead: sized(total(lanes, subject.host, 'hostDiskRead')),
    diskWritten: sized(total(lanes, subject.host, 'hostDiskWritten')),
    networkIn: sized(total(lanes, subject.host, 'hostNetworkIn')),
    networkOut: sized(total(lanes, subject.host, 'hostNetworkOut')),
  };
}
