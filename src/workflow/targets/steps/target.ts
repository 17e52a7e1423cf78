import { VenturiError } from '../../../model/errors.ts';
import { stepFiles } from '../../../probes/steps/recognise.ts';
import { COMPARED } from '../../../report/page/document.ts';
import { clusterPredictionReport } from '../../../report/views/cluster-prediction.ts';
import { inputPredictionReport } from '../../../report/views/input-prediction.ts';
import { stepsComparisonReport } from '../../../report/views/steps-comparison.ts';
import { flatSteps, stepsDiagnosisReport, stepsInfoReport, stepsRow } from '../../../report/views/steps-report.ts';
import { PLAIN } from '../../inspect.ts';
import type { ForecastRequest, Target } from '../target.ts';
import { compareSteps } from './compare.ts';
import { stepsInfo } from './info.ts';
import { judgeSteps } from './judge.ts';
import { stepsSections } from './page.ts';
import { predictCluster } from './predict.ts';
import { predictInput } from './predict-input.ts';
import { openSteps } from './read.ts';

/** Traces of training steps, as profilers write them. They are read where they lie. */
export const stepsTarget: Target = {
  id: 'steps',
  inFolder: 'diagnosis',
  recognises: () => false,
  recorder: undefined,
  tuner: undefined,
  inspector: () => PLAIN,
  live: () => ({ block: () => undefined, advance: () => undefined, result: () => undefined }),

  sections: stepsSections,

  files: {
    recognises: path => stepFiles(path).length > 0,
    async describe(path, { stepMarker }) {
      const result = stepsInfo(await openSteps(path, stepMarker));
      return { result, report: () => stepsInfoReport(result), flat: () => flatSteps(result) };
    },
  },

  async judge(path, { stepMarker }) {
    const result = judgeSteps(await openSteps(path, stepMarker));
    return { result, report: () => stepsDiagnosisReport(result), row: () => stepsRow(result) };
  },

  async forecast(path, { cluster, batchSize, ...request }, waiting) {
    if (cluster === undefined) {
      const result = await predictInput(path, request);
      return { result, report: () => inputPredictionReport(result) };
    }
    refuseBoth(request);
    const { stepMarker, recording, loader } = request;
    const result = await predictCluster(path, { ...cluster, batchSize, stepMarker, recording, loader }, waiting);
    return { result, report: () => clusterPredictionReport(result) };
  },

  async compare(paths, { stepMarker }) {
    const result = await compareSteps(paths, stepMarker);
    return { result, report: () => stepsComparisonReport(result) };
  },
  async compared(paths) {
    const data = await compareSteps(paths, undefined);
    return { kind: 'steps-comparison', ...COMPARED, blocks: stepsComparisonReport(data), data };
  },
};

/** Workers of a cluster and workers of a DataLoader are asked for apart. */
function refuseBoth({ workers, prefetch }: ForecastRequest): void {
  if (workers === undefined && prefetch === undefined) return;
  throw new VenturiError(
    'VENTURI_USAGE',
    '--workers and --prefetch are of a DataLoader, and other options given are of a cluster.',
    {
      remedy:
        'Ask for one of them: --workers 0,2,4 for a DataLoader, --replicas 1..8 --bandwidth 10Gbit for a cluster.',
    },
  );
}
