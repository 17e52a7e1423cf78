import { mostBandwidth, readersForMost } from '../../model/disk.ts';
import { paragraph } from '../blocks.ts';
import { figures, table } from '../columns.ts';
import { byteRate, byteSize, count, percent, plural } from '../format.ts';
import type { DiskReport } from '../results/disk.ts';
import type { Report } from '../tree.ts';

/** Line one: the full bandwidth, and the readers it takes. */
export function diskReport({ folder, disk }: DiskReport): Report {
  const most = mostBandwidth(disk);
  return [
    {
      type: 'verdict',
      text: `The storage of ${folder} delivers ${byteRate(most)} to ${plural(readersForMost(disk), 'reader')}`,
      fix: `venturi doctor --disk ${folder} --json > disk.json, then venturi diagnose RUN --disk disk.json`,
    },
    paragraph(
      disk.cold
        ? 'Measured cold: the device delivered the bytes, the page cache did not.'
        : `Measured warm: ${disk.fetched === undefined ? 'the page cache may have' : `the page cache had all but ${percent(disk.fetched)} of the bytes, so it`} answered. From a cold device they may come far more slowly.`,
      disk.cold ? 'muted' : 'warn',
    ),
    table(disk.points, [
      figures('readers', ({ readers }) => count(readers)),
      figures('bandwidth', ({ bytesPerSecond }) => byteRate(bytesPerSecond)),
      figures('share of max', ({ bytesPerSecond }) => percent(bytesPerSecond / most)),
    ]),
    paragraph(`${byteSize(disk.bytes)} read in blocks of 1 MiB from ${plural(disk.files, 'file')}`, 'muted'),
  ];
}
