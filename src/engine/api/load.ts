import { caught, describeThrown, messageOf, nameOf, stackOf } from '../../errors/thrown.ts';
import { VenturiError } from '../../model/errors.ts';
import { prepareModule } from '../modules/load.ts';
import { define, type PipelineDefinition } from './define.ts';
import { type Blueprint, blueprintOf } from './definition.ts';

/** A pipeline file, imported. Dispose of it when its run has ended. */
export interface LoadedPipeline<T = unknown> {
  readonly path: string;
  readonly definition: PipelineDefinition<Record<string, unknown>, T>;
  dispose(): Promise<void>;
}

/**
 * Imports a pipeline file, TypeScript or JavaScript, as workers will: by its path, or by its URL. `T` is what its author says
 * that its elements are. A file may wait for something at its top level, for ever: `signal` ends that.
 */
export async function loadPipeline<T = unknown>(
  location: string | URL,
  signal?: AbortSignal,
): Promise<LoadedPipeline<T>> {
  const { url, path, dispose } = await prepareModule(String(location));
  try {
    const loaded = await unlessAborted(importModule(url, path), signal);
    // Workers import what was prepared here instead of preparing it again.
    const blueprint = blueprintOf(loaded.default, path) as Blueprint<Record<string, unknown>, T>;
    return { path, definition: define({ url, path }, blueprint), dispose };
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

/** A failure says in which file, and that it happened at import. */
export async function importModule(url: string, path: string): Promise<{ readonly default?: unknown }> {
  try {
    return (await import(url)) as { readonly default?: unknown };
  } catch (thrown) {
    const error = caught(thrown);
    if (error instanceof VenturiError) throw error;
    const message = error instanceof Error ? messageOf(error) : describeThrown(error);
    if (error instanceof Error && nameOf(error) === 'SyntaxError') {
      const where =
        stackOf(error)
          ?.split('\n')[0]
          ?.replace(/^file:\/\//, '') ?? path;
      throw new VenturiError('VENTURI_PIPELINE_SYNTAX', `${where}: ${message}`, {
        cause: error,
        remedy: 'correct the file; nothing was run',
      });
    }
    throw new VenturiError('VENTURI_PIPELINE_IMPORT', `${path} failed while it was imported: ${message}`, {
      cause: error,
      remedy: 'see the stack trace of the cause; a pipeline file should only define its pipeline',
    });
  }
}
