import type { LoaderSummary } from '../../analysis/batches/summary.ts';
import type { ChannelRow, LaneRow, OperatorRow } from '../../analysis/rates/rows.ts';
import { STATES } from '../../model/state.ts';
import { NS_PER_SECOND } from '../../model/units.ts';
import { type MetricFamily, metricFamily } from '../metric-family.ts';
import type { RunInfo } from '../results/run-info.ts';

const seconds = (ns: number | undefined): number | undefined => (ns === undefined ? undefined : ns / NS_PER_SECOND);

/** The figures of a run at its end, as `info` has them, for monitoring. */
export function runMetrics(info: RunInfo): MetricFamily[] {
  return [
    ...ofRun(info),
    ...ofOperators(info.operators),
    ...ofLanes(info.lanesRows),
    ...ofChannels(info.channels),
    ...ofLoaders(info.batches?.loaders ?? []),
  ].filter(({ points }) => points.length > 0);
}

function ofRun(info: RunInfo): MetricFamily[] {
  const { totals } = info;
  const one = [info];
  const none = (): Record<string, string> => ({});
  const facts = ({ name, status, complete, manifest }: RunInfo): Record<string, string> => ({
    name,
    status: complete ? status : 'incomplete',
    probe: manifest.probe,
  });
  return [
    metricFamily(['venturi_run_info', 'gauge', '1', 'The run; always 1.'], one, facts, () => 1),
    metricFamily(['venturi_run_seconds', 'gauge', 's', 'Duration of the run.'], one, none, ({ seconds: all }) => all),
    metricFamily(
      ['venturi_run_elements_total', 'counter', '1', 'Elements that came to an end.'],
      one,
      none,
      () => totals.elements,
    ),
    metricFamily(
      ['venturi_run_elements_per_second', 'gauge', '1', 'Throughput over the whole run.'],
      one,
      none,
      () => totals.elementsPerSecond,
    ),
    metricFamily(['venturi_run_cores_busy', 'gauge', '1', 'Cores in use, mean.'], one, none, () => totals.coresBusy),
    metricFamily(['venturi_run_process_cpu_seconds_total', 'counter', 's', 'CPU of the processes.'], one, none, () =>
      seconds(totals.processCpu),
    ),
    metricFamily(
      ['venturi_run_peak_memory_bytes', 'gauge', 'By', 'Most resident memory.'],
      one,
      none,
      () => totals.peakResident,
    ),
    metricFamily(
      ['venturi_run_storage_requested_bytes_total', 'counter', 'By', 'Bytes requested by read calls.'],
      one,
      none,
      () => totals.storageAsked,
    ),
    metricFamily(
      ['venturi_run_storage_read_bytes_total', 'counter', 'By', 'Bytes that came from a device.'],
      one,
      none,
      () => totals.storageRead,
    ),
  ];
}

function ofOperators(rows: readonly OperatorRow[]): MetricFamily[] {
  const labels = ({ id }: OperatorRow): Record<string, string> => ({ operator: id });
  const family = (
    head: Parameters<typeof metricFamily>[0],
    figure: (row: OperatorRow) => number | undefined,
  ): MetricFamily => metricFamily(head, rows, labels, figure);
  return [
    family(['venturi_operator_elements_in_total', 'counter', '1', 'Elements that entered.'], row => row.elementsIn),
    family(['venturi_operator_elements_out_total', 'counter', '1', 'Elements that left.'], row => row.elementsOut),
    family(
      ['venturi_operator_bytes_out_total', 'counter', 'By', 'Bytes that left, where they were counted.'],
      row => row.bytesOut,
    ),
    family(
      ['venturi_operator_cpu_seconds_total', 'counter', 's', 'CPU; inside a fused stage an estimate.'],
      ({ cpuNs }) => seconds(cpuNs),
    ),
    family(
      ['venturi_operator_elements_per_second', 'gauge', '1', 'Throughput over the whole run.'],
      row => row.elementsPerSecond,
    ),
  ];
}

function ofLanes(rows: readonly LaneRow[]): MetricFamily[] {
  const states = rows.flatMap(row => STATES.map(state => ({ lane: row.name, state, ns: row[state] })));
  return [
    metricFamily(
      ['venturi_lane_state_seconds_total', 'counter', 's', 'Time of each lane by what it was doing.'],
      states,
      ({ lane, state }) => ({ lane, state }),
      ({ ns }) => seconds(ns),
    ),
    metricFamily(
      ['venturi_lane_overhead_seconds_total', 'counter', 's', "The engine's own work; part of running."],
      rows,
      ({ name }) => ({ lane: name }),
      ({ overhead }) => seconds(overhead),
    ),
  ];
}

function ofChannels(rows: readonly ChannelRow[]): MetricFamily[] {
  const labels = ({ from, to }: ChannelRow): Record<string, string> => ({ from, to });
  return [
    metricFamily(
      ['venturi_channel_chunks_queued', 'gauge', '1', 'Chunks queued, mean over time.'],
      rows,
      labels,
      row => row.meanOccupancy,
    ),
    metricFamily(['venturi_channel_slots', 'gauge', '1', 'Chunks it can hold.'], rows, labels, ({ slots }) => slots),
    metricFamily(
      ['venturi_channel_full_ratio', 'gauge', '1', 'Part of the time it was full.'],
      rows,
      labels,
      row => row.saturatedShare,
    ),
  ];
}

function ofLoaders(loaders: readonly LoaderSummary[]): MetricFamily[] {
  const labels = ({ name }: LoaderSummary): Record<string, string> => ({ loader: name });
  const family = (
    head: Parameters<typeof metricFamily>[0],
    figure: (row: LoaderSummary) => number | undefined,
  ): MetricFamily => metricFamily(head, loaders, labels, figure);
  return [
    family(['venturi_loader_batches_total', 'counter', '1', 'Batches that were consumed.'], row => row.batches),
    family(['venturi_loader_elements_total', 'counter', '1', 'Elements in them.'], row => row.elements),
    family(
      ['venturi_loader_elements_per_second', 'gauge', '1', 'Throughput of the loader.'],
      row => row.elementsPerSecond,
    ),
    family(
      ['venturi_loader_wait_ratio', 'gauge', '1', 'Part of its time in which the consumer waits.'],
      ({ verdict }) => verdict.waitShare,
    ),
    family(['venturi_loader_wait_seconds', 'gauge', 's', 'Wait for a batch, mean.'], ({ wait }) => seconds(wait.mean)),
    family(['venturi_loader_preparation_seconds', 'gauge', 's', 'Preparation of a batch, mean.'], ({ preparation }) =>
      seconds(preparation.mean),
    ),
    family(['venturi_loader_workers', 'gauge', '1', 'Worker processes.'], ({ workers }) => workers),
  ];
}
