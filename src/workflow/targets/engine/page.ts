import { GaugeFold } from '../../../analysis/gauges.ts';
import { SpanSummary } from '../../../analysis/rates/spans.ts';
import { NS_PER_SECOND } from '../../../model/units.ts';
import { costBasisOf } from '../../../prediction/cost/basis.ts';
import { paragraph } from '../../../report/blocks.ts';
import { plural, time } from '../../../report/format.ts';
import { activityOf } from '../../../report/page/activity.ts';
import { COMPARED, type PageSection } from '../../../report/page/document.ts';
import { pipelineTimes, TIMES, timesReport } from '../../../report/page/times.ts';
import { comparisonReport } from '../../../report/views/comparison.ts';
import { diagnosisReport, runAgain } from '../../../report/views/diagnosis.ts';
import { predictionReport } from '../../../report/views/prediction.ts';
import type { PageSectionMaker } from '../target.ts';
import { type AnalysedRun, analyseRun } from './analyse.ts';
import { analyseRuns, comparisonOf } from './compare.ts';
import { diagnosisOf } from './diagnose.ts';
import { predictionOf } from './predict.ts';

/** What limits a pipeline and what it could deliver. The recording is read once for both. */
export function pipelineSections(path: string): PageSectionMaker[] {
  const gauges = new GaugeFold();
  const spans = new SpanSummary();
  let reading: Promise<AnalysedRun> | undefined;
  const analysed = (): Promise<AnalysedRun> => {
    reading ??= analyseRun(path, {}, [gauges, spans]);
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
    async () => {
      const data = activityOf((await analysed()).analysis, gauges);
      const text = `${plural(data.charts.length, 'chart')} of ${time(NS_PER_SECOND * data.binSeconds * data.bins)}, in steps of ${time(NS_PER_SECOND * data.binSeconds)}.`;
      return { kind: 'activity', id: 'activity', title: 'Over time', blocks: [paragraph(text)], data };
    },
    async () => {
      const { analysis } = await analysed();
      const data = pipelineTimes(spans.histograms(), analysis.graph);
      if (data.groups.length === 0) return undefined;
      return { kind: 'times', ...TIMES, blocks: timesReport(data), data };
    },
  ];
}

/** Runs against the first of them, with what the lanes of each did. */
export async function comparedPipelines(paths: readonly string[]): Promise<PageSection> {
  const analysed = await analyseRuns(paths);
  const data = await comparisonOf(analysed);
  const extras = { stages: analysed.map(({ analysis }) => analysis.rates.stages) };
  return { kind: 'comparison', ...COMPARED, blocks: comparisonReport(data), data, extras };
}
