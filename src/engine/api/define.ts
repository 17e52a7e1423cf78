import type { Run, RunOptions } from '../contract/run.ts';
import type { Blueprint, Origin } from '../description/definition.ts';
import type { ParameterSpec, Parameters } from '../description/parameters.ts';
import type { Pipeline } from '../description/pipeline.ts';
import { launch } from '../runtime/launch.ts';

/** A pipeline module's default export: knows its parameters, and the file that workers import. */
export interface PipelineDefinition<P, T> extends Blueprint<P, T> {
  readonly url: string;
  /** Starts it. The elements come out of the returned run, by `for await` or otherwise. */
  run(options?: RunOptions<P>): Run<T>;
}

/**
 * Declares a pipeline. `import.meta` tells workers which file to import: they build the same graph from the same
 * module, so functions and whatever they close over need not be sent anywhere.
 */
export const pipeline = <const S extends ParameterSpec, T>(
  meta: { readonly url: string },
  spec: S,
  build: (params: Parameters<S>) => Pipeline<T>,
): PipelineDefinition<Parameters<S>, T> => define({ url: meta.url }, { spec, build });

/** A blueprint that can be run, because it is known which file it came from. */
export const define = <P, T>(origin: Origin, { spec, build }: Blueprint<P, T>): PipelineDefinition<P, T> => ({
  url: origin.url,
  spec,
  build,
  run: options => launch(origin, { spec, build }, options),
});
