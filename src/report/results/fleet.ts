import type { Diagnosis } from './diagnosis.ts';
import type { ProgramDiagnosis } from './program-diagnosis.ts';

/** One of many runs; a run that could not be judged says why. */
export type FleetRun =
  | { readonly folder: string; readonly diagnosis: Diagnosis }
  /** A program with DataLoaders. */
  | { readonly folder: string; readonly program: ProgramDiagnosis }
  | { readonly folder: string; readonly failure: { readonly code: string; readonly message: string } };

/** Many runs side by side: how long their consumers wait against how much of the CPU they use. */
export interface Fleet {
  readonly schemaVersion: 1;
  readonly folder: string;
  readonly runs: readonly FleetRun[];
}
