import { expect, test } from 'vitest';
import type { DiskReport } from '../results/disk.ts';
import { renderText } from '../text.ts';
import { diskReport, diskSeries } from './disk-report.ts';
import { resolved } from './references.fixture.ts';

const report: DiskReport = {
  schemaVersion: 1,
  folder: '/data',
  disk: {
    points: [
      { readers: 1, bytesPerSecond: 1e8 },
      { readers: 4, bytesPerSecond: 4e8 },
    ],
    cold: true,
    direct: true,
    fetched: 1,
    files: 3,
    bytes: 2e9,
  },
};

test('bandwidth against readers, as a table in text and as a curve by reference', () => {
  const blocks = diskReport(report);
  expect(renderText(blocks, { width: 80 })).toContain('readers  bandwidth  share of max\n        1');
  expect(resolved(blocks, diskSeries(report))).toEqual({ bandwidth: { x: [1, 4], y: [1e8, 4e8] } });
});

test('a key of another report is not resolved', () => {
  const { points, periods } = diskSeries(report);
  expect([points('rate'), periods('bandwidth')]).toEqual([undefined, undefined]);
});
