import type { PipelineDefinition } from '../engine/api/define.ts';
import type { Run, RunOptions } from '../engine/contract/run.ts';
import { EngineRecorder } from '../probes/engine/recorder.ts';
import { failureOf } from './failure.ts';
import { VERSION } from './version.ts';

/** Starts a pipeline as `definition.run(options)` does, and records it into `folder`. The caller consumes it. */
export function recordRun<P, T>(
  folder: string,
  definition: PipelineDefinition<P, T>,
  options: RunOptions<P> = {},
): Run<T> {
  const recorder = new EngineRecorder({
    folder,
    writer: `venturi ${VERSION}`,
    command: process.argv,
    parameters: { ...options.params },
    settings: {
      seed: options.seed ?? 0,
      epochs: options.epochs ?? 1,
      set: options.set ?? {},
      ...(options.resume === undefined ? {} : { resumed: true }),
      ...(options.plan === undefined ? {} : { plan: options.plan.actions }),
    },
    maxBytes: undefined,
    redact: false,
  });
  const run = recorder.start(probe => definition.run({ ...options, probe }));
  run.finished.then(
    ({ status, warnings }) => recorder.finish({ status, warnings: [...warnings] }),
    error => recorder.finish({ status: 'failed', error: failureOf(error), warnings: [] }),
  );
  return run;
}
