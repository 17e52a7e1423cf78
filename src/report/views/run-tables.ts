import type { LaneRow, OperatorRow, Waiting } from '../../analysis/rates/rows.ts';
import { figures, names, optional, table } from '../columns.ts';
import {
  byteSize,
  count,
  decimal,
  orBlank,
  percent,
  precisePercent,
  preciseTime,
  rate,
  timeInterval,
} from '../format.ts';
import { labelsOf } from '../labels.ts';
import type { RunInfo } from '../results/run-info.ts';
import type { TableBlock } from '../tree.ts';

const WAITS: Readonly<Record<keyof Waiting, string>> = {
  starved: 'starved',
  backpressured: 'back-pressured',
  blocked: 'blocked',
  runnable: 'queued for a core',
};

/** The longest kind of waiting of its lanes, and its share of their time; nothing below 1 %. */
function longestWait({ waiting }: OperatorRow): string {
  const [state, part] = (Object.entries(waiting) as [keyof Waiting, number][]).reduce((most, wait) =>
    wait[1] > most[1] ? wait : most,
  );
  return part < 0.01 ? '' : `${WAITS[state]} ${percent(part)}`;
}

export const operatorTable = ({ operators }: RunInfo): TableBlock =>
  table(operators, [
    names('operator', ({ label }) => label),
    figures('CPU', ({ cpuNs, cpuIntervalNs: [low, high] }) => timeInterval(cpuNs, low, high)),
    figures('cores', ({ cores }) => decimal(cores)),
    figures('throughput', ({ elementsPerSecond }) => rate(elementsPerSecond)),
    optional(figures('main wait', longestWait)),
    optional(figures('out', ({ elementsOut }) => count(elementsOut))),
    optional(figures('in', ({ elementsIn }) => count(elementsIn))),
    optional(figures('bytes out', ({ bytesOut }) => byteSize(bytesOut))),
  ]);

export function laneTable({ lanesRows }: RunInfo): TableBlock {
  const share = (ns: number, { wall }: LaneRow): string => precisePercent(wall > 0 ? ns / wall : undefined);
  return table(lanesRows, [
    names('lane', ({ name }) => name),
    figures('wall', ({ wall }) => preciseTime(wall)),
    figures('running', row => share(row.running, row)),
    figures('queued', row => share(row.runnable, row)),
    figures('blocked', row => share(row.blocked, row)),
    figures('starved', row => share(row.starved, row)),
    figures('back-pressured', row => share(row.backpressured, row)),
    optional(figures('overhead', row => share(row.overhead, row))),
    optional(figures('requested', ({ storageAsked }) => byteSize(storageAsked))),
    optional(figures('device', ({ storageRead }) => byteSize(storageRead))),
  ]);
}

export function channelTable({ operators, channels }: RunInfo): TableBlock {
  const label = labelsOf(operators);
  return table(channels, [
    names('channel', ({ from, to }) => `${label(from)} → ${label(to)}`),
    figures('mean', ({ meanOccupancy }) => decimal(meanOccupancy)),
    optional(figures('max', ({ peakOccupancy }) => count(peakOccupancy))),
    figures('slots', ({ slots }) => count(slots)),
    figures('full', ({ saturatedShare }) => precisePercent(saturatedShare)),
    channels.some(({ shareInParts }) => shareInParts !== undefined) &&
      figures('in parts', ({ shareInParts }) => orBlank(percent, shareInParts)),
  ]);
}
