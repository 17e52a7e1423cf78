import { comparisonReport } from '../../../report/views/comparison.ts';
import { diagnosisReport, diagnosisRow, runAgain } from '../../../report/views/diagnosis.ts';
import { predictionReport } from '../../../report/views/prediction.ts';
import { PLAIN } from '../../inspect.ts';
import type { Target } from '../target.ts';
import { compareRuns } from './compare.ts';
import { diagnose } from './diagnose.ts';
import { livePipeline } from './live.ts';
import { comparedPipelines, pipelineSections } from './page.ts';
import { predict } from './predict.ts';
import { engineTuner } from './tuner.ts';

/** Pipelines on our own engine. */
export const engineTarget: Target = {
  id: 'engine',
  inFolder: 'diagnosis',
  recognises: ({ probe }) => probe === 'engine',
  recorder: undefined,
  tuner: engineTuner,
  inspector: () => PLAIN,
  live: livePipeline,
  sections: pipelineSections,

  async judge(path, { disk, root }) {
    const result = await diagnose(path, { disk, root });
    return {
      result,
      report: () => diagnosisReport(result, runAgain(result.command)),
      row: () => diagnosisRow(result),
    };
  },

  async forecast(path, { cores, memory, disk, network, step, root, plan }) {
    const result = await predict(path, { cores, memory, disk, network, step, root, plan });
    return { result, report: () => predictionReport(result) };
  },

  async compare(paths, options) {
    const result = await compareRuns(paths, options);
    return { result, report: () => comparisonReport(result) };
  },
  compared: comparedPipelines,
};
