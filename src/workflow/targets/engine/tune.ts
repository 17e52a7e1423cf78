import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PipelineDefinition } from '../../../engine/api/define.ts';
import { loadPipeline } from '../../../engine/api/load.ts';
import { describePipeline } from '../../../engine/api/planned.ts';
import type { PipelineTuneResult } from '../../../report/results/tuning.ts';
import { ensureCosts } from '../../costs.ts';
import { refuseUnknown } from '../../refusals.ts';
import { parametersFrom } from '../../run.ts';
import { checkConsent } from './tune/consent.ts';
import type { TuneOptions } from './tune/options.ts';
import { Trials } from './tune/trials.ts';
import { Tuning } from './tune/tuning.ts';

export interface TuneRequest extends TuneOptions {
  /** The pipeline's file. */
  readonly pipeline: string;
  /** `key=value`. */
  readonly parameters?: readonly string[];
}

/** Tunes the pipeline that a file exports. */
export async function tune(request: TuneRequest): Promise<PipelineTuneResult> {
  const params = request.params ?? parametersFrom(request.parameters ?? []);
  const loaded = await loadPipeline(request.pipeline, request.signal);
  try {
    return await tuneDefinition(loaded.definition, request.pipeline, { ...request, params });
  } finally {
    await loaded.dispose();
  }
}

/** Records a pipeline, plans changes, tries them out, plans again with what that has shown, and keeps the best. */
export async function tuneDefinition<P, T>(
  definition: PipelineDefinition<P, T>,
  path: string,
  options: TuneOptions,
): Promise<PipelineTuneResult> {
  const described = describePipeline(definition, options.params as Partial<P>);
  refuseUnknown(options.root, described.operators, 'This pipeline');
  await checkConsent(described, options);
  const scratch = options.record ?? (await mkdtemp(join(tmpdir(), 'venturi-tune-')));
  try {
    const trials = new Trials(definition, described, options, scratch);
    await ensureCosts(() => options.onStep?.("measuring what a pipeline's lanes cost on this machine"));
    options.onStep?.('recording the pipeline as it is');
    const base = await trials.asItIs();
    return await new Tuning(definition, trials, { path, described, options, base }).run();
  } finally {
    if (options.record === undefined) await rm(scratch, { recursive: true, force: true });
  }
}
