import { benchmarkDisk, type DiskBenchmarkOptions } from '../probes/host/disk-benchmark.ts';
import type { DiskReport } from '../report/results/disk.ts';

/** What the storage of a folder delivers, against the number of readers. */
export async function measureDisk(options: DiskBenchmarkOptions): Promise<DiskReport> {
  return { schemaVersion: 1, folder: options.folder, disk: await benchmarkDisk(options) };
}
