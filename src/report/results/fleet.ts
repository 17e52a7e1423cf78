import type { Cause, Gain } from '../../findings/finding.ts';
import type { Diagnosis } from './diagnosis.ts';

/** One of many runs; a run that could not be judged says why. */
export type FleetRun =
  | { readonly folder: string; readonly diagnosis: Diagnosis }
  /** A program with DataLoaders. */
  | { readonly folder: string; readonly program: Diagnosis }
  | { readonly folder: string; readonly failure: { readonly code: string; readonly message: string } };

/** Many runs: waiting of their consumers, and CPU utilisation. */
export interface Fleet {
  readonly schemaVersion: 1;
  readonly folder: string;
  readonly runs: readonly FleetRun[];
}

/** A row of the table of many runs, whatever was recorded. */
export interface FleetRow {
  readonly waitShare: number | undefined;
  readonly wait: number | undefined;
  readonly utilisation: number;
  /** In words, with the end at which elements are counted. */
  readonly rate: string;
  readonly limit: string;
  readonly cause: Cause;
  readonly gain: Gain | undefined;
  /** Its consumer waits for its input. */
  readonly isWaiting: boolean;
}
