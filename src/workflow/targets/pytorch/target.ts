import { programDiagnosisReport, programRow } from '../../../report/views/loader-diagnosis.ts';
import { loaderPredictionReport } from '../../../report/views/loader-prediction.ts';
import { loaderSeriesReport } from '../../../report/views/loader-series.ts';
import type { Target } from '../target.ts';
import { compareLoaders } from './compare.ts';
import { diagnoseProgram } from './diagnose.ts';
import { loaderInspector } from './inspector.ts';
import { liveProgram } from './live.ts';
import { comparedPrograms, programSections } from './page.ts';
import { predictProgram } from './predict.ts';
import { pytorchRecorder } from './recorder.ts';
import { pytorchTuner } from './tuner.ts';

/** Programs with DataLoaders of PyTorch. */
export const pytorchTarget: Target = {
  id: 'pytorch',
  inFolder: 'program',
  recognises: ({ probe }) => probe === 'pytorch',
  recorder: pytorchRecorder,
  tuner: pytorchTuner,
  inspector: loaderInspector,
  live: liveProgram,
  sections: programSections,

  async judge(path, { disk, epochs, withoutSamples }) {
    const result = await diagnoseProgram(path, { disk, epochs, withoutSamples });
    return {
      result,
      report: () => programDiagnosisReport(result, process.cwd()),
      row: () => programRow(result),
    };
  },

  async forecast(path, { workers, prefetch, loader, batchSize, epochs, cores, memory, disk, step }) {
    const whatIf = { batchSize, epochs, cores, memory, disk, step };
    const result = await predictProgram(path, { workers, prefetch, loader, ...whatIf });
    return { result, report: () => loaderPredictionReport(result) };
  },

  async compare(paths) {
    const result = await compareLoaders(paths);
    return { result, report: () => loaderSeriesReport(result) };
  },
  compared: comparedPrograms,
};
