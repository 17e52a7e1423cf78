import type { Warning } from '../../model/warnings.ts';
import type { Run } from '../../store/run-reader.ts';
import type { OpenedSteps } from '../targets/steps/read.ts';
import type { WrittenFiles } from './written-files.ts';

export interface ExportOptions {
  /** Traces: operators on every element too, not only batches. */
  readonly fine?: boolean | undefined;
  /** Chrome's trace: a trace of the PyTorch profiler to put it into. */
  readonly merge?: string | undefined;
  /** Reports: with paths and arguments as they were recorded. */
  readonly full?: boolean | undefined;
  /** Tables: this one alone. */
  readonly table?: string | undefined;
}

/** Where an export goes, and how it was asked for. */
export interface ExportJob extends ExportOptions {
  readonly out: string;
  readonly files: WrittenFiles;
}

export interface Exported {
  /** What lies in the folder, where it is one. */
  readonly files?: readonly string[];
  /** What the recording has and the export has not. */
  readonly leftOut: readonly string[];
  readonly warnings?: readonly Warning[];
}

/** A format of other programs. */
export interface Exporter {
  run(run: Run, job: ExportJob): Promise<Exported>;
  /** Of a trace of training steps; undefined where the format has no place for one. */
  readonly steps: ((steps: OpenedSteps, job: ExportJob) => Promise<Exported>) | undefined;
  /** Options it takes beside the place. */
  readonly takes: readonly (keyof ExportOptions)[];
}
