import type { AttributionSummary } from '../../analysis/attribution/summary.ts';
import type { Warning } from '../../model/warnings.ts';

export interface RunSampleReport {
  readonly schemaVersion: 1;
  readonly name: string;
  readonly folder: string;
  readonly fromSeconds: number | undefined;
  readonly toSeconds: number | undefined;
  readonly samples: AttributionSummary;
  readonly problems: readonly Warning[];
}
