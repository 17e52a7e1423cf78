export {
  decodeExample,
  decodeSequenceExample,
  type Example,
  type Feature,
  type SequenceExample,
} from '../io/formats/example.ts';
export { ByteTokenizer, type ByteTokenizerOptions } from '../io/formats/tokenizer.ts';
export type { FileEntry } from '../io/input/file-entry.ts';
export type { Loss } from '../io/input/loss.ts';
export { decodeJpeg, decodePng } from '../io/media/decode-image.ts';
export { type Decoded, type Decoder, type Encoded, images } from '../io/media/decoder.ts';
export type { Image } from '../io/media/image.ts';
export { encodeJpeg } from '../io/media/jpeg.ts';
export type { PerChannel } from '../io/media/levels.ts';
export { resize, type TensorOptions, toTensor } from '../io/media/resize.ts';
export { makeImages, type SyntheticImages } from '../io/media/synthetic.ts';
export { crop, flipHorizontally, normalise } from '../io/media/transform.ts';
export { httpStorage } from '../io/storage/http.ts';
export type { HttpOptions } from '../io/storage/http-settings.ts';
export { type LimitedStorageOptions, limitedStorage } from '../io/storage/limited.ts';
export { localStorage } from '../io/storage/local.ts';
export type { Manifest, RemoteObject } from '../io/storage/remote-object.ts';
export type { RandomAccess, Storage } from '../io/storage/storage.ts';
export { writeFileAtomically } from '../io/storage/write-file.ts';
export type { Random } from '../math/random.ts';
export type { RandomOperator } from '../model/random-operator.ts';
export { type CodecSpec, defineCodec } from './api/codec.ts';
export { type PipelineDefinition, pipeline } from './api/define.ts';
export { type LoadedPipeline, loadPipeline } from './api/load.ts';
export { applyPlan, type DescribedPipeline, describePipeline } from './api/planned.ts';
export type { Checkpoint, CheckpointInput, CheckpointOperator, CheckpointPosition } from './contract/checkpoint.ts';
export { type Context, type MaybePromise, type PerWorker, perWorker, type WorkerContext } from './contract/context.ts';
export type { Lease } from './contract/lease.ts';
export type { OperatorSettings } from './contract/operator-settings.ts';
export type { LaneDescription, LaneProbe, LaneTotals, OpenLaneProbe, ProbeSpec } from './contract/probe.ts';
export type {
  ChannelReading,
  OperatorProgress,
  Progress,
  Run,
  RunOptions,
  RunSummary,
} from './contract/run.ts';
export type { Source, SourceContext, SourceReader } from './contract/source.ts';
export type { NumberArray, NumberArrays, NumberArrayType, Out, Stacked, Tensor } from './contract/tensor.ts';
export type { Blueprint } from './description/definition.ts';
export { defineDecoder, defineOperator, defineSource } from './description/extension.ts';
export type { JoinKey } from './description/hash-join.ts';
export { concat, merge, zip } from './description/joins.ts';
export type {
  ApplyOptions,
  CacheOptions,
  ForEachOptions,
  FunctionOptions,
  JoinOptions,
  KeepOptions,
  MapOptions,
  Mapper,
  OnError,
  OperatorOptions,
} from './description/operator-options.ts';
export type { ParameterSpec, Parameters } from './description/parameters.ts';
export { type Groups, Pipeline } from './description/pipeline.ts';
export type { Operator, OperatorPass } from './operators/defined.ts';
export type { Group } from './operators/group-by.ts';
export type { JoinKind } from './operators/hash-join.ts';
export type { PaddedBatch, Row } from './operators/padded-batch.ts';
export type { CsvField, WriteCsvOptions } from './operators/write-csv.ts';
export type { ParquetCompression, ParquetType, WriteParquetOptions } from './operators/write-parquet.ts';
export { readCheckpoint, writeCheckpoint } from './runtime/checkpoint/checkpoint-file.ts';
export { type CsvOptions, type CsvValue, csv } from './sources/csv.ts';
export { type FilesOptions, files, readFile, readFileAsync } from './sources/files.ts';
export { type GlobOptions, glob } from './sources/glob.ts';
export { from } from './sources/iterable.ts';
export { jsonl, lines } from './sources/lines.ts';
export type { FileSourceOptions } from './sources/loss-policy.ts';
export { type ObjectsOptions, objects } from './sources/objects.ts';
export { type ParquetOptions, parquet } from './sources/parquet.ts';
export { range } from './sources/range.ts';
export { type TarEntry, tar } from './sources/tar.ts';
export { type Sample, webdataset } from './sources/tar-samples.ts';
export { type TfrecordOptions, tfrecords } from './sources/tfrecord.ts';
