import { VenturiError } from '../model/errors.ts';
import { NS_PER_SECOND } from '../model/units.ts';
import type { RunSampleReport } from '../report/results/run-samples.ts';
import { foldRecords } from '../store/fold.ts';
import { openRun } from '../store/run-reader.ts';
import { attributeSamples } from './attribute.ts';
import { importSamples } from './import-samples.ts';
import { LatestMoment } from './latest-moment.ts';

export interface SampleRequest {
  /** Seconds of the run between which samples count. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Samples from elsewhere, in place of the run's own. */
  readonly file?: string | undefined;
}

/** Which operators the samples of a run fall into, and which native functions are behind each. */
export async function runSamples(path: string, { from, to, file }: SampleRequest = {}): Promise<RunSampleReport> {
  const run = openRun(path);
  const latest = new LatestMoment();
  await foldRecords(run.records(), [latest]);
  const options = {
    durationNs: latest.endOf(run.manifest),
    from: from && from * NS_PER_SECOND,
    to: to && to * NS_PER_SECOND,
  };
  const samples = await (file === undefined ? attributeSamples(run, options) : importSamples(run, file, options));
  if (samples === undefined) {
    throw new VenturiError('VENTURI_RUN_EMPTY', `The run ${run.folder} has no samples.`, {
      remedy: 'Record it with them: venturi record --perf -- COMMAND',
    });
  }
  return {
    schemaVersion: 1,
    name: run.manifest.name,
    folder: run.folder,
    fromSeconds: from,
    toSeconds: to,
    samples,
    problems: run.problems,
  };
}
