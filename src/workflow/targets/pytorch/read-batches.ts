import { type BatchFacts, BatchFold } from '../../../analysis/batches/fold.ts';
import { MachineFold, type MachineUse } from '../../../analysis/batches/machine-use.ts';
import { type MemoryGrowth, memoryGrowth } from '../../../analysis/batches/memory-growth.ts';
import { PhaseFold, type StepPhases } from '../../../analysis/batches/phases.ts';
import { type BatchSummary, summariseBatches } from '../../../analysis/batches/summary.ts';
import { VenturiError } from '../../../model/errors.ts';
import { machineOf } from '../../../model/host.ts';
import { foldRecords } from '../../../store/fold.ts';
import { openRun, type Run } from '../../../store/run-reader.ts';
import { LatestMoment } from '../../latest-moment.ts';

/** A recorded program with DataLoaders, and all that its lanes say about them. */
export interface ProgramRun {
  readonly run: Run;
  readonly facts: BatchFacts;
  readonly summary: BatchSummary;
  /** What its steps did with the batches, by the steps that were watched. */
  readonly steps: readonly StepPhases[];
  readonly use: MachineUse;
  readonly memory: readonly MemoryGrowth[];
  readonly durationNs: number;
}

/** Refuses a run in which no batch was handed out. */
export async function readProgram(path: string): Promise<ProgramRun> {
  const run = openRun(path);
  const fold = new BatchFold();
  const machine = new MachineFold();
  const phases = new PhaseFold();
  const latest = new LatestMoment();
  await foldRecords(run.records(), [fold, machine, phases, latest]);
  const facts = fold.result();
  const summary = summariseBatches(facts, machineOf(run.manifest).coresUsable);
  if (!summary.loaders.some(({ batches }) => batches > 0)) {
    throw new VenturiError('VENTURI_RUN_EMPTY', `No batch was handed out in ${run.folder}.`, {
      remedy: 'Record a program that iterates over a DataLoader: venturi record -- python3 train.py',
    });
  }
  const use = machine.result();
  return {
    run,
    facts,
    summary,
    steps: phases.result(summary.loaders),
    use,
    memory: memoryGrowth(use, facts),
    durationNs: latest.endOf(run.manifest),
  };
}
