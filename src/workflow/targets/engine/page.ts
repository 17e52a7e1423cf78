import { costBasisOf } from '../../../prediction/cost/basis.ts';
import { diagnosisReport, runAgain } from '../../../report/views/diagnosis.ts';
import { predictionReport } from '../../../report/views/prediction.ts';
import type { PageSectionMaker } from '../target.ts';
import { type AnalysedRun, analyseRun } from './analyse.ts';
import { diagnosisOf } from './diagnose.ts';
import { predictionOf } from './predict.ts';

/** What limits a pipeline and what it could deliver. The recording is read once for both. */
export function pipelineSections(path: string): PageSectionMaker[] {
  let reading: Promise<AnalysedRun> | undefined;
  const analysed = (): Promise<AnalysedRun> => {
    reading ??= analyseRun(path);
    return reading;
  };
  return [
    async () => {
      const data = diagnosisOf(await analysed());
      const blocks = diagnosisReport(data, runAgain(data.command));
      return { kind: 'diagnosis', id: 'diagnosis', title: 'What limits it', blocks, data };
    },
    async () => {
      const run = await analysed();
      const data = predictionOf(run, {});
      const extras = { basis: costBasisOf(run.analysis) };
      const blocks = predictionReport(data);
      return { kind: 'prediction', id: 'prediction', title: 'What it could deliver', blocks, data, extras };
    },
  ];
}
