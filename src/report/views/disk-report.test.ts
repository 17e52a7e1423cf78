import { expect, test } from 'vitest';
import type { DiskReport } from '../results/disk.ts';
import { renderText } from '../text.ts';
import { diskReport } from './disk-report.ts';

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

test('bandwidth against readers, as a table', () => {
  expect(renderText(diskReport(report), { width: 80 })).toContain('readers  bandwidth  share of max\n        1');
});
