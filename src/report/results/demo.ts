import type { PipelineDiagnosis } from './diagnosis.ts';
import type { PipelineTuneResult } from './tuning.ts';

export interface DemoResult {
  readonly schemaVersion: 1;
  /** The pipeline as most people write it first. */
  readonly diagnosis: PipelineDiagnosis;
  /** With the plan that was best, where one was. */
  readonly tuned: PipelineDiagnosis | undefined;
  readonly tuning: PipelineTuneResult;
  /** File of the pipeline, folder of the images, and file of the plan: the arguments to run it again. */
  readonly pipeline: string;
  readonly images: string;
  readonly plan: string;
  /** File with the page of the pipeline as it was, and of what was tried. */
  readonly page: string;
}
