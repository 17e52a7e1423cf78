import type { StepTrace } from '../../model/step-trace.ts';
import type { ExecutionNodes } from './execution-trace/nodes.ts';
import type { StepFile } from './step-file.ts';

export interface ImportOptions {
  /** Name of the file in messages. */
  readonly path: string;
  /** Name of the annotation that marks a step, where it is not the profiler's own. */
  readonly stepMarker?: string | undefined;
  /** Operators of a process of the same run, which say what reads what another wrote. */
  readonly executionTraceOf?: ((process: string) => Promise<ExecutionNodes>) | undefined;
}

/** A format of traces of training steps. */
export interface StepImporter {
  /** What it reads, in words. */
  readonly format: string;
  /** Whether the first bytes of a file, decompressed, look like this format. Each is one character of `head`. */
  recognises(head: string): boolean;
  read(bytes: AsyncIterable<Uint8Array>, options: ImportOptions): Promise<StepTrace>;
  /** Reads the files of one run together, where each of them is a step, and not a process. */
  readTogether?(files: readonly StepFile[]): StepTrace;
}
