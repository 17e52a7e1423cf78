import { BatchFold } from '../../../analysis/batches/fold.ts';
import { MachineFold } from '../../../analysis/batches/machine-use.ts';
import { memoryGrowth } from '../../../analysis/batches/memory-growth.ts';
import { PhaseFold } from '../../../analysis/batches/phases.ts';
import { type BatchSummary, summariseBatches } from '../../../analysis/batches/summary.ts';
import type { RunTotals } from '../../../analysis/rates/rows.ts';
import { machineOf } from '../../../model/host.ts';
import type { RunManifest } from '../../../model/run.ts';
import { cores, elements, elementsPerSecond, NS_PER_SECOND } from '../../../model/units.ts';
import type { Inspected, Inspector } from '../../inspect.ts';

/** What happened to the batches of loaders, and what their consumer did. */
export class LoaderInspector implements Inspector {
  readonly #batches = new BatchFold();
  readonly #phases = new PhaseFold();
  readonly #machine = new MachineFold();
  readonly folds = [this.#batches, this.#phases, this.#machine];

  result(manifest: RunManifest): Inspected {
    const facts = this.#batches.result();
    const batches = summariseBatches(facts, machineOf(manifest).coresUsable);
    return {
      // A loader's operators have no counters: their times stand in `batches`.
      graph: undefined,
      totals: totals => loaderTotals(totals, batches),
      more: {
        batches,
        steps: this.#phases.result(batches.loaders),
        memory: memoryGrowth(this.#machine.result(), facts),
      },
    };
  }
}

/** Totals of a run whose elements pass loaders: over the time in which batches flowed, not the program's start-up. */
function loaderTotals(totals: RunTotals, { loaders, start, end }: BatchSummary): RunTotals {
  const consumed = loaders.reduce((sum, loader) => sum + loader.elements, 0);
  const flowed = Math.max(1, end - start);
  return {
    ...totals,
    elements: elements(consumed),
    elementsPerSecond: elementsPerSecond((consumed / flowed) * NS_PER_SECOND),
    coresBusy: cores((totals.processCpu ?? 0) / flowed),
  };
}
