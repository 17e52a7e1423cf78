import { batchesOf } from '../../../report/page/batches.ts';
import { COMPARED, type PageSection } from '../../../report/page/document.ts';
import { loaderTimes, TIMES, timesReport } from '../../../report/page/times.ts';
import { batchesReport } from '../../../report/views/batches.ts';
import { programDiagnosisReport } from '../../../report/views/loader-diagnosis.ts';
import { loaderPredictionReport } from '../../../report/views/loader-prediction.ts';
import { loaderSeriesReport } from '../../../report/views/loader-series.ts';
import type { PageSectionMaker } from '../target.ts';
import { compareLoaders } from './compare.ts';
import { programDiagnosisOf } from './diagnose.ts';
import { programPredictionOf } from './predict.ts';
import { type ProgramRun, readProgram } from './read-batches.ts';

/** What limits the loaders of a program, what they could deliver, and their batches. The recording is read once for all. */
export function programSections(path: string): PageSectionMaker[] {
  let reading: Promise<ProgramRun> | undefined;
  const read = (): Promise<ProgramRun> => {
    reading ??= readProgram(path);
    return reading;
  };
  return [
    async () => {
      const data = await programDiagnosisOf(await read());
      const blocks = programDiagnosisReport(data, process.cwd());
      return { kind: 'program-diagnosis', id: 'diagnosis', title: 'What limits it', blocks, data };
    },
    async () => {
      const data = programPredictionOf(await read());
      const blocks = loaderPredictionReport(data);
      return { kind: 'program-prediction', id: 'prediction', title: 'What it could deliver', blocks, data };
    },
    async () => {
      const { facts, summary } = await read();
      const data = batchesOf(facts, summary);
      return { kind: 'batches', id: 'batches', title: 'Batches', blocks: batchesReport(data), data };
    },
    async () => {
      const data = loaderTimes((await read()).facts);
      if (data.groups.length === 0) return undefined;
      return { kind: 'times', ...TIMES, blocks: timesReport(data), data };
    },
  ];
}

export async function comparedPrograms(paths: readonly string[]): Promise<PageSection> {
  const data = await compareLoaders(paths);
  return { kind: 'loader-series', ...COMPARED, blocks: loaderSeriesReport(data), data };
}
