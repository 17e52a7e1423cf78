import { type Analysis, RunAnalysis } from '../../../analysis/analysis.ts';
import { VenturiError } from '../../../model/errors.ts';
import { machineOf } from '../../../model/host.ts';
import type { RunManifest } from '../../../model/run.ts';
import { type Fold, foldRecords } from '../../../store/fold.ts';
import { openRun, type Run } from '../../../store/run-reader.ts';
import { LatestMoment } from '../../latest-moment.ts';
import { refuseUnknown } from '../../refusals.ts';
import type { JudgeOptions } from '../target.ts';

export interface AnalyseOptions extends Pick<JudgeOptions, 'disk' | 'root'> {
  /** An operator whose output is kept: only what comes once that is complete counts. */
  readonly filled?: string | undefined;
}

export interface AnalysedRun {
  readonly run: Run;
  readonly manifest: RunManifest;
  readonly analysis: Analysis;
}

/** Reads a run and works out everything that is known about it. Refuses one in which there is nothing to look at. `beside`: folds that are fed, too. */
export async function analyseRun(
  path: string,
  options: AnalyseOptions = {},
  beside: readonly Fold[] = [],
): Promise<AnalysedRun> {
  const run = openRun(path);
  const { manifest } = run;
  const { graph } = manifest;
  if (graph === undefined || graph.operators.length === 0) {
    throw new VenturiError('VENTURI_RUN_EMPTY', `The run ${run.folder} ended before its pipeline was known.`, {
      remedy: 'Record it again: venturi run PIPELINE --record NAME.',
    });
  }
  refuseUnknown(options.root, graph.operators, `The run ${run.folder}`);
  const fold = new RunAnalysis();
  const latest = new LatestMoment();
  await foldRecords(run.records(), [fold, latest, ...beside]);
  const analysis = fold.result({
    graph,
    host: machineOf(manifest),
    durationNs: latest.endOf(manifest),
    completed: manifest.outcome?.status === 'completed',
    complete: run.complete,
    // Recordings of version 0.1 say so in their command alone.
    resumed: manifest.settings.resumed === true || manifest.command.includes('--resume'),
    disk: options.disk ?? machineOf(manifest).disk,
    root: options.root,
    filled: options.filled,
    stuck: manifest.stuck,
  });
  if (analysis.rows.lanes.length === 0) {
    throw new VenturiError(
      'VENTURI_RUN_EMPTY',
      `Nothing was recorded in ${run.folder}: none of its lanes has counters.`,
      {
        remedy: 'Record a run that lasts some seconds: venturi run PIPELINE --record NAME --epochs 10.',
      },
    );
  }
  return { run, manifest, analysis };
}
