import type { Warning } from '../../model/warnings.ts';

/** What came of recording a program, whatever it is. */
export interface RecordResult {
  readonly schemaVersion: 1;
  /** The program's own, or 128 + the number of the signal that ended it. */
  readonly exitCode: number;
  readonly signal: string | undefined;
  /** Undefined where there was nothing to record. */
  readonly recording: string | undefined;
  readonly warnings: readonly Warning[];
}

/** Of a program with DataLoaders. */
export interface ProgramRecordResult extends RecordResult {
  readonly batches: number;
  /** Samples of native code that were taken; undefined where none were asked for, or none could be. */
  readonly samples?: number;
}
