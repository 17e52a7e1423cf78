import { type DiskProbeOptions, probeDisk } from '../probes/host/disk-probe.ts';
import type { DiskReport } from '../report/results/disk.ts';

/** What the storage of a folder delivers, against the number of readers. */
export async function measureDisk(options: DiskProbeOptions): Promise<DiskReport> {
  return { schemaVersion: 1, folder: options.folder, disk: await probeDisk(options) };
}
