import { type BatchFacts, BatchFold } from '../../../analysis/batches/fold.ts';
import { MachineFold, type MachineUse } from '../../../analysis/batches/machine-use.ts';
import { type MemoryGrowth, memoryGrowth } from '../../../analysis/batches/memory-growth.ts';
import { PhaseFold, type StepPhases } from '../../../analysis/batches/phases.ts';
import { type BatchSummary, summariseBatches } from '../../../analysis/batches/summary.ts';
import { VenturiError } from '../../../model/errors.ts';
import { machineOf } from '../../../model/host.ts';
import type { RunManifest } from '../../../model/run.ts';
import { foldRecords } from '../../../store/fold.ts';
import { openRun, type Run } from '../../../store/run-reader.ts';
import { LatestMoment } from '../../latest-moment.ts';

/** All that the lanes of a program say about its DataLoaders. */
export interface LoaderFacts {
  readonly facts: BatchFacts;
  readonly summary: BatchSummary;
  /** What its steps did with the batches, by the steps that were watched. */
  readonly steps: readonly StepPhases[];
  readonly use: MachineUse;
  readonly memory: readonly MemoryGrowth[];
}

/** A recorded program with DataLoaders. */
export interface ProgramRun extends LoaderFacts {
  readonly run: Run;
  readonly durationNs: number;
}

export class LoaderFolds {
  readonly #batches = new BatchFold();
  readonly #phases = new PhaseFold();
  readonly #machine = new MachineFold();
  readonly folds = [this.#batches, this.#phases, this.#machine];

  result(manifest: RunManifest): LoaderFacts {
    const facts = this.#batches.result();
    const summary = summariseBatches(facts, machineOf(manifest).coresUsable);
    const use = this.#machine.result();
    return { facts, summary, steps: this.#phases.result(summary.loaders), use, memory: memoryGrowth(use, facts) };
  }
}

/** Refuses a run in which no batch was handed out. */
export async function readProgram(path: string): Promise<ProgramRun> {
  const run = openRun(path);
  const loaders = new LoaderFolds();
  const latest = new LatestMoment();
  await foldRecords(run.records(), [...loaders.folds, latest]);
  const read = loaders.result(run.manifest);
  if (!read.summary.loaders.some(({ batches }) => batches > 0)) {
    throw new VenturiError('VENTURI_RUN_EMPTY', `No batch was handed out in ${run.folder}.`, {
      remedy: 'Record a program that iterates over a DataLoader: venturi record -- python3 train.py',
    });
  }
  return { ...read, run, durationNs: latest.endOf(run.manifest) };
}
