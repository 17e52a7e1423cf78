import { VenturiError } from '../../../model/errors.ts';
import type { ImportOptions } from '../../../probes/steps/importer.ts';
import { readExecutionTrace } from '../../../probes/steps/read.ts';
import { executionTraceProcess } from '../../../probes/steps/recognise.ts';
import { fileName } from '../../../report/paths.ts';

type Found = ImportOptions['executionTraceOf'];

/** Execution traces of PyTorch, paired with traces of its profiler. */
interface PairedTraces {
  /** That of the process of a file of the profiler. */
  of(file: string): Found;
  /** Once all files are read: one that belongs to none of them is not left out in silence. */
  refuseUnused(): void;
}

/**
 * Each belongs to the traces of its process, of which there may be one for every cycle of the profiler. Where they do not tell their processes apart, as in containers
 * which all number them alike, they are paired in the order of names. Undefined where there is none.
 */
export function pairedTraces(files: readonly string[], beside: readonly string[]): PairedTraces | undefined {
  const byProcess = new Map(beside.map(path => [executionTraceProcess(path), path]));
  if (beside.length === 0) return undefined;
  return byProcess.size === beside.length && !byProcess.has(undefined)
    ? new ByProcess(byProcess)
    : inOrder(files, beside);
}

class ByProcess implements PairedTraces {
  readonly #paths: ReadonlyMap<string | undefined, string>;
  readonly #used = new Set<string>();

  constructor(paths: ReadonlyMap<string | undefined, string>) {
    this.#paths = paths;
  }

  of(): Found {
    return async process => {
      const path = this.#paths.get(process);
      // What others have is told to be missing here.
      if (path === undefined) return { nodes: [], isCut: false };
      this.#used.add(process);
      return readExecutionTrace(path);
    };
  }

  refuseUnused(): void {
    for (const [process = '', path] of this.#paths) {
      if (this.#used.has(process)) continue;
      throw new VenturiError(
        'VENTURI_STEPS_UNREADABLE',
        `${fileName(path)} is an execution trace of process ${process}, of which there is no trace of the profiler.`,
        { remedy: 'Put the trace of that process beside it, or take this one away.' },
      );
    }
  }
}

function inOrder(files: readonly string[], beside: readonly string[]): PairedTraces {
  if (beside.length !== files.length) {
    throw new VenturiError(
      'VENTURI_STEPS_UNREADABLE',
      `There are ${beside.length} execution traces of PyTorch and ${files.length} traces of its profiler, and their processes do not tell which belong together.`,
      { remedy: 'Put one of each rank into the folder, in the same order of names, or none.' },
    );
  }
  return {
    of: file => () => readExecutionTrace(beside[files.indexOf(file)] as string),
    refuseUnused: () => undefined,
  };
}
