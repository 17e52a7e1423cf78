import type { Analysis } from '../../analysis/analysis.ts';
import type { GaugeFold } from '../../analysis/gauges.ts';
import { growthOf, type LaneTimeline } from '../../analysis/timeline.ts';
import type { Metric } from '../../model/metric.ts';
import { subject } from '../../model/record.ts';
import { NS_PER_MICROSECOND, NS_PER_SECOND } from '../../model/units.ts';
import { labelsOf } from '../labels.ts';

/** Curves over one axis of time, in bins of equal width: every lane and channel of a run, and its host. */
export interface ActivityData {
  readonly binSeconds: number;
  readonly bins: number;
  readonly charts: readonly ActivityChart[];
  /** Lanes and channels beyond those that are shown. */
  readonly leftOut: number;
}

export interface ActivityChart {
  readonly id: string;
  readonly title: string;
  /** `share` is 0 to 1; `per-second` counts elements. */
  readonly unit: 'share' | 'cores' | 'bytes' | 'bytes-per-second' | 'per-second' | 'chunks';
  readonly curves: readonly ActivityCurve[];
}

export interface ActivityCurve {
  readonly label: string;
  /** Operators it is about, so that a selection finds it. */
  readonly operators: readonly string[];
  /** One for each bin; null where nothing was read. */
  readonly values: readonly (number | null)[];
}

/** Curves of one chart: more could not be told apart. */
const MOST_CURVES = 48;

/** A run over time, from the same counters that its rates are taken from. */
export function activityOf(analysis: Analysis, gauges: GaugeFold): ActivityData {
  const { timeline, graph, rates, topology } = analysis;
  const { binNs, lanes } = timeline;
  const bins = Math.max(1, Math.ceil(timeline.end / binNs));
  /** Growth in each bin / the ns of the bin that the run took: the last one may be cut. */
  const each = (grown: (from: number, to: number) => number): number[] =>
    Array.from({ length: bins }, (_, bin) => {
      const ns = Math.min(timeline.end, (bin + 1) * binNs) - bin * binNs;
      return ns > 0 ? grown(bin * binNs, (bin + 1) * binNs) / ns : 0;
    });
  const known = new Set(graph.operators.map(({ id }) => id));
  const label = labelsOf(graph.operators);
  const stageOf = (lane: LaneTimeline) => topology.vertices.find(({ key }) => lane.subjects.has(key));

  const ends = rates.ends.map(
    ({ operator, counted }): ActivityCurve => ({
      label: label(operator),
      operators: [operator],
      values: each((from, to) => NS_PER_SECOND * growthOf(lanes, subject.operator(operator), counted, from, to)),
    }),
  );
  const running = lanes
    .filter(lane => lane.has(lane.ownKey, 'running'))
    .map(
      (lane): ActivityCurve => ({
        label: lane.lane.name,
        operators: stageOf(lane)?.operators.map(({ id }) => id) ?? [],
        values: each((from, to) => lane.between(lane.ownKey, 'running', from, to)),
      }),
    );
  const queues = graph.channels.map(
    ({ id, from: writer, to: reader }): ActivityCurve => ({
      label: `${label(writer)} → ${label(reader)}`,
      operators: [writer, reader].filter(operator => known.has(operator)),
      values: each((from, to) => growthOf(lanes, subject.channel(id), 'occupancy', from, to)),
    }),
  );
  const totals = (whose: string, metric: Metric, name: string, factor: number): ActivityCurve[] =>
    lanes.some(lane => lane.has(whose, metric))
      ? [
          {
            label: name,
            operators: [],
            values: each((from, to) => NS_PER_SECOND * factor * growthOf(lanes, whose, metric, from, to)),
          },
        ]
      : [];
  const cores = NS_PER_MICROSECOND / NS_PER_SECOND;
  const gauge = (metric: Metric, name: string): ActivityCurve[] => {
    const values = binned(gauges.readings(metric), binNs, bins);
    return values.every(value => value === null) ? [] : [{ label: name, operators: [], values }];
  };
  const charts: ActivityChart[] = [
    { id: 'throughput', title: 'Throughput at the ends', unit: 'per-second', curves: ends },
    { id: 'lanes', title: 'CPU of each lane', unit: 'share', curves: running.slice(0, MOST_CURVES) },
    { id: 'queues', title: 'Chunks queued in each channel', unit: 'chunks', curves: queues.slice(0, MOST_CURVES) },
    {
      id: 'cores',
      title: 'Cores in use',
      unit: 'cores',
      curves: [
        ...totals(subject.process, 'processCpu', 'this program', cores),
        ...totals(subject.host, 'hostCpuBusy', 'the whole machine', cores),
      ],
    },
    {
      id: 'memory',
      title: 'Memory',
      unit: 'bytes',
      curves: [...gauge('residentMemory', 'resident'), ...gauge('hostMemoryAvailable', 'available on the machine')],
    },
    {
      id: 'disk',
      title: 'Disks of the machine',
      unit: 'bytes-per-second',
      curves: [
        ...totals(subject.host, 'hostDiskRead', 'read', 1),
        ...totals(subject.host, 'hostDiskWritten', 'written', 1),
      ],
    },
    {
      id: 'network',
      title: 'Network of the machine',
      unit: 'bytes-per-second',
      curves: [
        ...totals(subject.host, 'hostNetworkIn', 'received', 1),
        ...totals(subject.host, 'hostNetworkOut', 'sent', 1),
      ],
    },
  ];
  return {
    binSeconds: binNs / NS_PER_SECOND,
    bins,
    charts: charts.filter(({ curves }) => curves.length > 0),
    leftOut: Math.max(0, running.length - MOST_CURVES) + Math.max(0, queues.length - MOST_CURVES),
  };
}

/** The last reading of each bin. */
function binned(
  { moments, values }: { readonly moments: readonly number[]; readonly values: readonly number[] },
  binNs: number,
  bins: number,
): (number | null)[] {
  const last = new Array<number | null>(bins).fill(null);
  for (const [at, moment] of moments.entries()) {
    const bin = Math.floor(moment / binNs);
    if (bin >= 0 && bin < bins) last[bin] = values[at] ?? null;
  }
  return last;
}
