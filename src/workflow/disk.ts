import { type DiskMeasurement, type DiskProbeOptions, probeDisk } from '../probes/host/disk-probe.ts';

export interface DiskReport {
  readonly schemaVersion: 1;
  readonly folder: string;
  readonly disk: DiskMeasurement;
}

/** What the storage of a folder delivers, against the number of readers. */
export async function measureDisk(options: DiskProbeOptions): Promise<DiskReport> {
  return { schemaVersion: 1, folder: options.folder, disk: await probeDisk(options) };
}
