export type { Context, MaybePromise, PerWorker, WorkerContext } from './api/context.ts';
export { perWorker } from './api/context.ts';
export type { PipelineDefinition } from './api/define.ts';
export { pipeline } from './api/define.ts';
export type { Blueprint } from './api/definition.ts';
export type { LoadedPipeline } from './api/load.ts';
export { loadPipeline } from './api/load.ts';
export type { ParameterSpec, Parameters } from './api/parameters.ts';
export type { FunctionOptions, MapOptions, Mapper, OperatorOptions } from './api/pipeline.ts';
export { Pipeline } from './api/pipeline.ts';
export type {
  ChannelReading,
  OperatorProgress,
  OperatorSettings,
  Progress,
  Run,
  RunOptions,
  RunSummary,
} from './api/run.ts';
export type { Image } from './media/image.ts';
export { decodeJpeg, encodeJpeg } from './media/jpeg.ts';
export { resize } from './media/resize.ts';
export { crop, flipHorizontally, normalise } from './media/transform.ts';
export type { FileEntry, FilesOptions } from './operators/files.ts';
export { files, readFile } from './operators/files.ts';
export { from } from './operators/iterable.ts';
export { jsonl, lines } from './operators/lines.ts';
export { range } from './operators/range.ts';
export type { LaneDescription, LaneProbe, LaneTotals, OpenLaneProbe, ProbeSpec } from './runtime/probe.ts';
