import type { DiskMeasurement } from '../../model/disk.ts';

export interface DiskReport {
  readonly schemaVersion: 1;
  readonly folder: string;
  readonly disk: DiskMeasurement;
}
