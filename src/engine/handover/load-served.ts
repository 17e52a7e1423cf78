import { define } from '../api/define.ts';
import { type LoadedPipeline, loadPipeline } from '../api/load.ts';
import { describePipeline } from '../api/planned.ts';
import type { RunOptions } from '../contract/run.ts';
import { announceHandover } from './environment.ts';
import type { Handed } from './handed-over.ts';
import type { SlotPool } from './slot-pool.ts';

/** Loads a pipeline whose runs hand batches over. It is described as its author wrote it; a plan of that fits. One in a process. */
export async function loadServed(
  location: string,
  pool: SlotPool,
  files: readonly number[],
  signal?: AbortSignal,
): Promise<LoadedPipeline<Handed>> {
  const written = await loadPipeline<Handed>(location, signal);
  try {
    announceHandover({ url: written.url, path: written.path, pool: pool.memory, files });
    const { url, definition } = await loadPipeline<Handed>(new URL('./served-pipeline.js', import.meta.url), signal);
    // What fails there is about the author's file.
    const served = define({ url, path: written.path }, definition);
    const fitted = ({ plan, ...options }: RunOptions): RunOptions => {
      if (plan?.shape === undefined || plan.shape !== describePipeline(written.definition, options.params).shape) {
        return { ...options, plan };
      }
      return { ...options, plan: { ...plan, shape: describePipeline(served, options.params).shape } };
    };
    const run: typeof written.definition.run = (options = {}) => served.run(fitted(options));
    return { ...written, definition: { ...written.definition, run } };
  } catch (error) {
    await written.dispose();
    throw error;
  }
}
