import { loadPipeline } from '../engine/api/load.ts';
import { lower } from '../engine/runtime/explain.ts';
import type { Explanation } from '../report/results/explanation.ts';
import { explanationReport } from '../report/views/explanation.ts';
import type { Answer } from './answer.ts';
import { type RunRequest, runOptions } from './run.ts';

/** What of a run's request changes how it is carried out. */
export type ExplainRequest = Pick<
  RunRequest,
  'pipeline' | 'set' | 'params' | 'plan' | 'cacheFolder' | 'maxLanes' | 'epochs' | 'memory' | 'inline' | 'signal'
>;

/** The plan of a pipeline and its generated code, with the owner of every line. Nothing is run. */
export async function explain(request: ExplainRequest): Promise<Answer<Explanation>> {
  const plan = request.plan === undefined ? undefined : (await import('./plan-file.ts')).loadPlan(request.plan);
  const loaded = await loadPipeline(request.pipeline, request.signal);
  try {
    const lowered = lower(loaded.definition, runOptions(request, plan));
    const result: Explanation = { schemaVersion: 1, pipeline: request.pipeline, ...lowered };
    return { result, report: () => explanationReport(result) };
  } finally {
    await loaded.dispose();
  }
}
