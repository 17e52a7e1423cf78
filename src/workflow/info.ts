import { withFewSymbols } from '../analysis/attribution/summary.ts';
import { BatchFold } from '../analysis/batches/fold.ts';
import { MachineFold } from '../analysis/batches/machine-use.ts';
import { memoryGrowth } from '../analysis/batches/memory-growth.ts';
import { PhaseFold } from '../analysis/batches/phases.ts';
import { type BatchSummary, summariseBatches } from '../analysis/batches/summary.ts';
import { OperatorSummary } from '../analysis/rates/operators.ts';
import type { RunTotals } from '../analysis/rates/rows.ts';
import { machineOf } from '../model/host.ts';
import { cores, elements, elementsPerSecond, NS_PER_SECOND } from '../model/units.ts';
import type { RunInfo } from '../report/results/run-info.ts';
import { foldRecords } from '../store/fold.ts';
import { openRun } from '../store/run-reader.ts';
import { attributeSamples } from './attribute.ts';
import { LatestMoment } from './latest-moment.ts';
import { headingOf, problemsOf } from './run-heading.ts';

/** What a recorded run says of itself, also while it is still going on. */
export async function runInfo(folder: string): Promise<RunInfo> {
  const run = openRun(folder);
  const summary = new OperatorSummary();
  const latest = new LatestMoment();
  const { manifest } = run;
  const batchFold = manifest.probe === 'pytorch' ? new BatchFold() : undefined;
  const [phases, machine] = [new PhaseFold(), new MachineFold()];
  await foldRecords(run.records(), [summary, latest, ...(batchFold === undefined ? [] : [batchFold, phases, machine])]);
  const end = latest.endOf(manifest);
  const facts = batchFold?.result();
  const batches = facts && summariseBatches(facts, machineOf(manifest).coresUsable);
  // A loader's operators have no counters: their times stand in `batches`.
  const rows = summary.result(batches === undefined ? manifest.graph : undefined, end);
  const samples = await attributeSamples(run, { durationNs: end });
  return {
    ...headingOf(run),
    manifest,
    lanes: run.lanes.length,
    seconds: end / 1e9,
    operators: rows.operators,
    lanesRows: rows.lanes,
    channels: rows.channels,
    totals: batches === undefined ? rows.totals : loaderTotals(rows.totals, batches),
    ...(facts === undefined || batches === undefined
      ? {}
      : { batches, steps: phases.result(batches.loaders), memory: memoryGrowth(machine.result(), facts) }),
    ...(samples === undefined ? {} : { samples: withFewSymbols(samples, SYMBOLS_KEPT) }),
    problems: problemsOf(run),
  };
}

/** The rest is told by `venturi samples`. */
export const SYMBOLS_KEPT = 10;

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
