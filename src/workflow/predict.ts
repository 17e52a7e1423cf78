import type { CpuUse } from '../analysis/rates/rates.ts';
import type { Interval } from '../math/statistics.ts';
import type { End } from '../model/end.ts';
import { VenturiError } from '../model/errors.ts';
import type { Graph } from '../model/graph.ts';
import type { Host } from '../model/host.ts';
import { NS_PER_SECOND } from '../model/units.ts';
import { type Forecast, forecast } from '../prediction/bound/forecast.ts';
import type { WhatIf } from '../prediction/bound/resources.ts';
import { analyseRun } from './analyse.ts';
import { problemsOf } from './run-heading.ts';

export interface PredictRequest extends WhatIf {
  /** The one operator whose elements are counted. */
  readonly root?: string | undefined;
}

export interface Prediction {
  readonly schemaVersion: 1;
  readonly name: string;
  readonly folder: string;
  readonly seconds: number;
  readonly measured: Interval;
  /** Where the elements of all rates are counted. */
  readonly ends: readonly End[];
  readonly host: Host;
  /** Who used its cores. Unless other cores are asked for, the forecasts are for those that other programs left. */
  readonly cpu: CpuUse;
  readonly graph: Graph;
  /** What was asked for; the rest is as recorded. */
  readonly whatIf: WhatIf;
  /** On the machine of the recording, with as many lanes as it takes. */
  readonly asRecorded: Forecast;
  /** On the resources that were asked for. */
  readonly forecast: Forecast;
  readonly problems: readonly string[];
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
    host: manifest.host,
    cpu: analysis.rates.cpu,
    graph: analysis.graph,
    whatIf,
    asRecorded: forecast(analysis),
    forecast: forecast(analysis, whatIf),
    problems: problemsOf(run),
  };
}
