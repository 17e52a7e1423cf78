import type { BatchSummary } from '../../../analysis/batches/summary.ts';
import type { RunTotals } from '../../../analysis/rates/rows.ts';
import { cores, elements, elementsPerSecond, NS_PER_SECOND } from '../../../model/units.ts';
import type { Inspector } from '../../inspect.ts';
import { LoaderFolds } from './read-batches.ts';

/** What happened to the batches of loaders, and what their consumer did. */
export function loaderInspector(): Inspector {
  const loaders = new LoaderFolds();
  return {
    folds: loaders.folds,
    result: manifest => {
      const { summary: batches, steps, memory } = loaders.result(manifest);
      // A loader's operators have no counters: their times stand in `batches`.
      return { graph: undefined, totals: totals => loaderTotals(totals, batches), more: { batches, steps, memory } };
    },
  };
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
