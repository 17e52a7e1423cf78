import type { ProfileSummary } from '../../analysis/profile/summary.ts';
import type { Warning } from '../../model/warnings.ts';

/** What `venturi profile` finds out: who had the lanes of a run. */
export interface Profile extends ProfileSummary {
  readonly schemaVersion: 1;
  readonly name: string;
  readonly folder: string;
  /** Seconds of the run between which samples count; undefined: all. */
  readonly fromSeconds: number | undefined;
  readonly toSeconds: number | undefined;
  /** The epoch that these are. */
  readonly epoch?: number;
  readonly problems: readonly Warning[];
}
