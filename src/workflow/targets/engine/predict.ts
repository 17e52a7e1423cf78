import { VenturiError } from '../../../model/errors.ts';
import { machineOf } from '../../../model/host.ts';
import { NS_PER_SECOND } from '../../../model/units.ts';
import { forecast } from '../../../prediction/bound/forecast.ts';
import type { WhatIf } from '../../../prediction/bound/resources.ts';
import type { Prediction } from '../../../report/results/prediction.ts';
import { problemsOf } from '../../run-heading.ts';
import { analyseRun } from './analyse.ts';

export interface PredictRequest extends WhatIf {
  /** The one operator whose elements are counted. */
  readonly root?: string | undefined;
}

/** The most that a recorded pipeline could deliver, there and on other resources. */
export async function predict(path: string, request: PredictRequest = {}): Promise<Prediction> {
  const { root, ...whatIf } = request;
  const { run, manifest, analysis } = await analyseRun(path, { root });
  if (!(analysis.rates.completions > 0) || !(analysis.rates.totalDemand.estimate > 0)) {
    throw new VenturiError(
      'VENTURI_RUN_EMPTY',
      `No element left the pipeline of ${run.folder} in its steady part: there is nothing to forecast from.`,
      { remedy: 'Record a longer run: --epochs 10, or --for 10s on a pipeline that repeats.' },
    );
  }
  if (whatIf.step !== undefined && analysis.rates.consumer === undefined) {
    throw new VenturiError('VENTURI_BAD_OPTION', 'Nobody takes the elements of this pipeline: they end in sinks.', {
      remedy: 'Leave out --step.',
    });
  }
  return {
    schemaVersion: 1,
    name: manifest.name,
    folder: run.folder,
    seconds: analysis.durationNs / NS_PER_SECOND,
    measured: analysis.rates.rate,
    ends: analysis.rates.ends,
    host: machineOf(manifest),
    cpu: analysis.rates.cpu,
    graph: analysis.graph,
    whatIf,
    asRecorded: forecast(analysis),
    forecast: forecast(analysis, whatIf),
    problems: problemsOf(run),
  };
}
