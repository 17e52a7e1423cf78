import { mostBandwidth, readersForMost } from '../../model/disk.ts';
import { byteRate, byteSize, count, percent, plural } from '../format.ts';
import type { DiskReport } from '../results/disk.ts';
import type { SeriesProvider } from '../series.ts';
import type { Block, Report } from '../tree.ts';

const BANDWIDTH = 'bandwidth';

/** Line one: what storage delivers, and to how many readers. */
export function diskReport({ folder, disk }: DiskReport): Report {
  const most = mostBandwidth(disk);
  const readers = readersForMost(disk);
  const blocks: Block[] = [
    {
      type: 'verdict',
      text: `The storage of ${folder} delivers ${byteRate(most)} to ${plural(readers, 'reader')}`,
      fix: `venturi doctor --disk ${folder} --json > disk.json, then venturi diagnose RUN --disk disk.json`,
    },
    {
      type: 'paragraph',
      text: disk.cold
        ? 'Measured cold: the device delivered the bytes, the page cache did not.'
        : `Measured warm: ${disk.fetched === undefined ? 'the page cache may have' : `the page cache had all but ${percent(disk.fetched)} of the bytes, so it`} answered. From a cold device they may come far more slowly.`,
      tone: disk.cold ? 'muted' : 'warn',
    },
    {
      type: 'chart',
      x: 'readers',
      y: 'bandwidth, bytes/s',
      series: [{ key: BANDWIDTH, label: 'bandwidth' }],
      short: {
        type: 'table',
        columns: [
          { title: 'readers', align: 'right' },
          { title: 'bandwidth', align: 'right' },
          { title: 'of the most', align: 'right' },
        ],
        rows: disk.points.map(point => [
          count(point.readers),
          byteRate(point.bytesPerSecond),
          percent(point.bytesPerSecond / most),
        ]),
      },
    },
    {
      type: 'paragraph',
      text: `${byteSize(disk.bytes)} read in blocks of 1 MiB from ${plural(disk.files, 'file')}`,
      tone: 'muted',
    },
  ];
  return blocks;
}

export const diskSeries = ({ disk: { points } }: DiskReport): SeriesProvider => ({
  points: key =>
    key === BANDWIDTH
      ? { x: points.map(({ readers }) => readers), y: points.map(({ bytesPerSecond }) => bytesPerSecond) }
      : undefined,
  periods: () => undefined,
});
