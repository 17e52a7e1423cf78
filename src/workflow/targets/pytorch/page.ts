import { programDiagnosisReport } from '../../../report/views/loader-diagnosis.ts';
import { loaderPredictionReport } from '../../../report/views/loader-prediction.ts';
import type { PageSectionMaker } from '../target.ts';
import { diagnoseProgram } from './diagnose.ts';
import { predictProgram } from './predict.ts';

/** What limits the loaders of a program, and what they could deliver. */
export const programSections = (path: string): PageSectionMaker[] => [
  async () => {
    const data = await diagnoseProgram(path);
    const blocks = programDiagnosisReport(data, process.cwd());
    return { kind: 'program-diagnosis', id: 'diagnosis', title: 'What limits it', blocks, data };
  },
  async () => {
    const data = await predictProgram(path);
    const blocks = loaderPredictionReport(data);
    return { kind: 'program-prediction', id: 'prediction', title: 'What it could deliver', blocks, data };
  },
];
