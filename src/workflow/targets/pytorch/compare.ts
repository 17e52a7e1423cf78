import { mostWaitedFor } from '../../../analysis/batches/most-waited-for.ts';
import { operatorElapsed } from '../../../analysis/batches/operator-elapsed.ts';
import type { LoaderSummary } from '../../../analysis/batches/summary.ts';
import { TAKEN } from '../../../findings/oversubscribed-cores.ts';
import { VenturiError } from '../../../model/errors.ts';
import { machineOf } from '../../../model/host.ts';
import { NS_PER_SECOND, ns } from '../../../model/units.ts';
import type { Warning } from '../../../model/warnings.ts';
import type { LoaderSeries, SeriesCost, SeriesRun } from '../../../report/results/loader-series.ts';
import type { RunInfo } from '../../../report/results/run-info.ts';
import { openRun } from '../../../store/run-reader.ts';
import { inspect } from '../../inspect.ts';
import { refuseLessThanTwo } from '../../refusals.ts';
import { machineCautions, when } from '../machine-cautions.ts';
import { loaderInspector } from './inspector.ts';

/** Recordings of one program with different settings, side by side (Lotus, figures 4 to 6). */
export async function compareLoaders(paths: readonly string[]): Promise<LoaderSeries> {
  refuseLessThanTwo(paths, 'run', 'workers-1 workers-2');
  const infos: { readonly info: RunInfo; readonly loader: LoaderSummary }[] = [];
  for (const path of paths) {
    const info = await inspect(openRun(path), loaderInspector());
    const loader = mostWaitedFor(info.batches?.loaders ?? []);
    if (loader === undefined) {
      throw new VenturiError('VENTURI_RUN_EMPTY', `No batch was recorded in ${info.folder}.`, {
        remedy: 'Leave it out, or record it again: venturi record -- COMMAND',
      });
    }
    infos.push({ info, loader });
  }
  const names = [...new Set(infos.flatMap(({ loader }) => loader.operators.map(({ operator }) => operator)))];
  return {
    schemaVersion: 1,
    runs: infos.map(({ info, loader }) => seriesRun(info, loader)),
    operators: names.map(operator => ({
      operator,
      costs: infos.map(({ info, loader }) => costOf(operator, info, loader)),
    })),
    cautions: cautionsOf(infos),
  };
}

function seriesRun({ name, folder, totals, batches }: RunInfo, loader: LoaderSummary): SeriesRun {
  // The CPU of cheap batches is read for some of them: the mean stands for all.
  const { cpu } = loader;
  return {
    name,
    folder,
    loader: loader.name,
    workers: loader.workers,
    batchSize: loader.settings?.batch_size ?? undefined,
    elements: loader.elements,
    elapsed: ns((batches?.end ?? 0) - (batches?.start ?? 0)),
    elementsPerSecond: loader.elementsPerSecond,
    cpu: totals.processCpu,
    preparationCpu: cpu.count > 0 ? ns(cpu.mean * loader.batches) : undefined,
    waitShare: loader.verdict.waitShare,
    bound: loader.verdict.bound,
    preparation: loader.preparation,
    late: loader.late,
  };
}

function costOf(operator: string, { samples }: RunInfo, loader: LoaderSummary): SeriesCost | undefined {
  const row = loader.operators.find(candidate => candidate.operator === operator);
  if (row === undefined) return undefined;
  const sampled = samples?.operators.find(candidate => candidate.operator === operator);
  return {
    elapsed: ns(operatorElapsed(row, loader)),
    cpu: sampled?.cpu,
    events: sampled?.events ?? [],
  };
}

function cautionsOf(infos: readonly { readonly info: RunInfo; readonly loader: LoaderSummary }[]): Warning[] {
  const [first] = infos;
  if (first === undefined) return [];
  return infos.flatMap(({ info, loader }) => {
    const [data, firstData] = [loader.settings?.dataset, first.loader.settings?.dataset];
    const noun = loader.elements === 1 ? 'element' : 'elements';
    const read = `${info.name} read ${loader.elements} ${noun} of ${data ?? 'an unknown dataset'}`;
    const firstRead = `${first.info.name} ${first.loader.elements} of ${firstData ?? 'an unknown one'}`;
    const busy = (info.totals.hostCpuBusy ?? 0) - (info.totals.processCpu ?? 0);
    const others = busy / Math.max(1, info.seconds * NS_PER_SECOND);
    const shared = `Other programs, or its own start, used ${others.toFixed(1)} cores while ${info.name} ran.`;
    const isOther = data !== firstData || loader.elements !== first.loader.elements;
    return [
      ...when(isOther, 'VENTURI_WARN_OTHER_DATA', `${read}, ${firstRead}.`),
      ...machineCautions(info.manifest, first.info.manifest, info.complete),
      ...when(others > TAKEN * machineOf(info.manifest).coresUsable, 'VENTURI_WARN_MACHINE_SHARED', shared),
    ];
  });
}
