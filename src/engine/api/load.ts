import { VenturiError } from '../../model/errors.ts';
import { type Blueprint, blueprintOf } from '../description/definition.ts';
import { importModule } from '../modules/import-module.ts';
import { prepareModule } from '../modules/load.ts';
import { define, type PipelineDefinition } from './define.ts';

/** A pipeline file, imported. Dispose of it when its run has ended. */
export interface LoadedPipeline<T = unknown> {
  readonly path: string;
  /** What every thread imports. */
  readonly url: string;
  readonly definition: PipelineDefinition<Record<string, unknown>, T>;
  dispose(): Promise<void>;
}

/**
 * Imports a pipeline file, TypeScript or JavaScript, as workers will: by its path, or by its URL. `T` is what its author says
 * that its elements are. `firstLine`: the number that the first line of its bundle gets, which a profile tells it by. A file may wait for something at its top level, for ever: `signal` ends that.
 */
export async function loadPipeline<T = unknown>(
  location: string | URL,
  signal?: AbortSignal,
  firstLine?: number,
): Promise<LoadedPipeline<T>> {
  const { url, path, dispose } = await prepareModule(String(location), firstLine);
  try {
    const loaded = await unlessAborted(importModule(url, path), signal);
    // Workers import what was prepared here instead of preparing it again.
    const blueprint = blueprintOf(loaded.default, path) as Blueprint<Record<string, unknown>, T>;
    return { path, url, definition: define({ url, path }, blueprint), dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  let stop = (): void => undefined;
  const stopped = new Promise<never>((_, reject) => {
    stop = () =>
      reject(
        new VenturiError('VENTURI_INTERRUPTED', 'the pipeline was still being imported', {
          remedy: 'if it hangs there, look for an await outside of all functions in its file',
        }),
      );
  });
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop);
  try {
    return await Promise.race([work, stopped]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
