import type { MemoryGrowth } from '../../analysis/batches/memory-growth.ts';
import type { StepPhases } from '../../analysis/batches/phases.ts';
import type { LoaderSummary } from '../../analysis/batches/summary.ts';
import { NS_PER_MILLISECOND, SECONDS_PER_HOUR } from '../../model/units.ts';
import type { RunInfo } from '../results/run-info.ts';

/** Numbers by name, as trackers of experiments log them. */
export type FlatSummary = Readonly<Record<string, number>>;

const BYTES_PER_MB = 1e6;

/**
 * The figures of a run under names that stay the same from run to run and carry their unit: `train_loader/wait_share`.
 * A figure that was not measured is left out.
 */
export function flatSummary(info: RunInfo): FlatSummary {
  const { totals, batches, steps = [], memory = [] } = info;
  const flat: Record<string, number> = {};
  const put = (prefix: string, figures: Readonly<Record<string, number | undefined>>): void => {
    for (const [name, value] of Object.entries(figures)) {
      if (value !== undefined && Number.isFinite(value)) flat[`${prefix}/${name}`] = value;
    }
  };
  put('run', {
    seconds: info.seconds,
    elements: totals.elements,
    elements_per_second: totals.elementsPerSecond,
    cores_busy: totals.coresBusy,
    peak_memory_mb: totals.peakResident === undefined ? undefined : totals.peakResident / BYTES_PER_MB,
  });
  const names = new Set(['run', 'memory']);
  for (const loader of batches?.loaders ?? []) {
    const prefix = freeName(loader.name, names);
    put(prefix, loaderFigures(loader));
    for (const step of steps.filter(each => each.loader === loader.name)) put(prefix, stepFigures(step));
    for (const growth of memory.filter(each => each.where === 'workers' && each.loader === loader.name)) {
      put(prefix, memoryFigures('workers', growth));
    }
  }
  for (const growth of memory.filter(({ where }) => where === 'main')) put('memory', memoryFigures('main', growth));
  return flat;
}

/** Name of letters, digits, `_`, `-` and `.` alone, as every tracker accepts it; numbered where it is taken. */
function freeName(name: string, taken: Set<string>): string {
  const plain = name.replace(/[^\w.-]+/g, '_');
  let free = plain;
  for (let turn = 2; taken.has(free); turn++) free = `${plain}_${turn}`;
  taken.add(free);
  return free;
}

const loaderFigures = (loader: LoaderSummary): Record<string, number | undefined> => ({
  batches: loader.batches,
  elements: loader.elements,
  elements_per_second: loader.elementsPerSecond,
  batches_per_second: (loader.elementsPerSecond / loader.elements) * loader.batches,
  wait_share: loader.verdict.waitShare,
  wait_ms: loader.wait.mean / NS_PER_MILLISECOND,
  first_wait_ms: loader.firstWaits.mean / NS_PER_MILLISECOND,
  preparation_ms: loader.preparation.mean / NS_PER_MILLISECOND,
  consume_ms: loader.evidence.consumePerBatch / NS_PER_MILLISECOND,
  workers: loader.workers,
  workers_idle_share: loader.idleShare,
  worker_memory_mb: loader.workerMemory === undefined ? undefined : loader.workerMemory / BYTES_PER_MB,
});

const stepFigures = ({ steps, phases }: StepPhases): Record<string, number> => ({
  steps_watched: steps,
  ...Object.fromEntries(
    phases.map(({ phase, mean }) => [`step_${phase.replace('-', '_')}_ms`, mean / NS_PER_MILLISECOND]),
  ),
});

/** Growth of memory. 0: tested for, and none found; absent: the recording was too short for the test. */
const memoryFigures = (
  where: string,
  { perSecond, perHundredBatches }: MemoryGrowth,
): Record<string, number | undefined> => ({
  [`${where}_mb_per_hour`]: perSecond === undefined ? 0 : (perSecond.estimate / BYTES_PER_MB) * SECONDS_PER_HOUR,
  [`${where}_mb_per_100_batches`]:
    perSecond === undefined ? 0 : perHundredBatches && perHundredBatches.estimate / BYTES_PER_MB,
});
