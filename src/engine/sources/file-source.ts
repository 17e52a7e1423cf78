import type { OpenSource } from '../contract/source.ts';
import { type Pipeline, sourcePipeline } from '../description/pipeline.ts';
import { describePaths } from './describe-paths.ts';
import { type FileSourceOptions, lossPolicy } from './loss-policy.ts';

/** Starts a pipeline at files, in the order given. `lenient`: what cannot be read is left out. */
export function fileSource<T>(
  kind: string,
  paths: string | readonly string[],
  options: FileSourceOptions,
  open: (paths: readonly string[], lenient: boolean) => OpenSource,
  settings: Readonly<Record<string, unknown>> = {},
): Pipeline<T> {
  const list = typeof paths === 'string' ? [paths] : paths;
  const policy = lossPolicy(kind, options);
  const all = { ...describePaths(list), ...settings, ...policy.settings };
  return sourcePipeline(kind, all, open(list, policy.skip), options);
}
