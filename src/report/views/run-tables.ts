import type { OperatorRow, Waiting } from '../../analysis/rates/rows.ts';
import { byteSize, count, decimal, percent, precisePercent, preciseTime, rate, timeInterval } from '../format.ts';
import type { RunInfo } from '../results/run-info.ts';
import type { TableBlock } from '../tree.ts';

const WAITS: Readonly<Record<keyof Waiting, string>> = {
  starved: 'starved',
  backpressured: 'back-pressured',
  blocked: 'blocked',
  runnable: 'for a core',
};

/** The wait that took most of its lanes' time; nothing below one part in a hundred. */
function longestWait({ waiting }: OperatorRow): string {
  const [state, part] = (Object.entries(waiting) as [keyof Waiting, number][]).reduce((most, wait) =>
    wait[1] > most[1] ? wait : most,
  );
  return part < 0.01 ? '' : `${WAITS[state]} ${percent(part)}`;
}

export function operatorTable(info: RunInfo): TableBlock {
  return {
    type: 'table',
    columns: [
      { title: 'operator', align: 'left' },
      { title: 'CPU', align: 'right' },
      { title: 'cores', align: 'right' },
      { title: 'rate', align: 'right' },
      { title: 'waits most', align: 'right', optional: true },
      { title: 'out', align: 'right', optional: true },
      { title: 'in', align: 'right', optional: true },
      { title: 'bytes out', align: 'right', optional: true },
    ],
    rows: info.operators.map(row => [
      row.label,
      timeInterval(row.cpuNs, row.cpuIntervalNs[0], row.cpuIntervalNs[1]),
      decimal(row.cores),
      rate(row.elementsPerSecond),
      longestWait(row),
      count(row.elementsOut),
      count(row.elementsIn),
      byteSize(row.bytesOut),
    ]),
  };
}

export function laneTable(info: RunInfo): TableBlock {
  return {
    type: 'table',
    columns: [
      { title: 'lane', align: 'left' },
      { title: 'wall', align: 'right' },
      { title: 'running', align: 'right' },
      { title: 'for a core', align: 'right' },
      { title: 'blocked', align: 'right' },
      { title: 'starved', align: 'right' },
      { title: 'back-pr.', align: 'right' },
      { title: 'overhead', align: 'right', optional: true },
      { title: 'asked', align: 'right', optional: true },
      { title: 'fetched', align: 'right', optional: true },
    ],
    rows: info.lanesRows.map(row => {
      const part = (ns: number): string => precisePercent(row.wall > 0 ? ns / row.wall : undefined);
      return [
        row.name,
        preciseTime(row.wall),
        part(row.running),
        part(row.runnable),
        part(row.blocked),
        part(row.starved),
        part(row.backpressured),
        part(row.overhead),
        byteSize(row.storageAsked),
        byteSize(row.storageRead),
      ];
    }),
  };
}

export function channelTable(info: RunInfo): TableBlock {
  const labels = new Map(info.operators.map(({ id, label }) => [id, label]));
  return {
    type: 'table',
    columns: [
      { title: 'channel', align: 'left' },
      { title: 'mean', align: 'right' },
      { title: 'most', align: 'right', optional: true },
      { title: 'slots', align: 'right' },
      { title: 'full', align: 'right' },
    ],
    rows: info.channels.map(({ from, to, meanOccupancy, peakOccupancy, slots, saturatedShare }) => [
      `${labels.get(from) ?? from} → ${labels.get(to) ?? to}`,
      decimal(meanOccupancy),
      count(peakOccupancy),
      count(slots),
      precisePercent(saturatedShare),
    ]),
  };
}
