import { readRegularText } from '../files/regular-file.ts';
import { type DiskCurve, DiskCurveSchema } from '../model/disk.ts';
import { VenturiError } from '../model/errors.ts';
import { parseBandwidth } from './quantities.ts';

const MOST_DISK_BYTES = 2 ** 20;

/** A bandwidth, or the file that `venturi doctor --disk` wrote. */
export function parseDisk(text: string): DiskCurve {
  if (!text.endsWith('.json')) {
    return { points: [{ readers: 1, bytesPerSecond: parseBandwidth('--disk', text) }], cold: true };
  }
  try {
    const report: unknown = JSON.parse(readRegularText(text, MOST_DISK_BYTES));
    const disk = typeof report === 'object' && report !== null && 'disk' in report ? report.disk : report;
    return DiskCurveSchema.parse(disk);
  } catch (error) {
    throw new VenturiError('VENTURI_USAGE', `--disk: ${text} holds no measurement of a disk.`, {
      remedy: 'Make one: venturi doctor --disk FOLDER --json > disk.json. Or write a bandwidth: 500MB/s.',
      cause: error,
    });
  }
}
