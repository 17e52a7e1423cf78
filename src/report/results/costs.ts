import type { PipelineCosts } from '../../model/pipeline-costs.ts';

export interface CostsReport {
  readonly schemaVersion: 1;
  readonly costs: PipelineCosts;
}
