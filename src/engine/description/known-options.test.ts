import { describe, expect, it } from 'vitest';
import type { WriteCsvOptions } from '../operators/write-csv.ts';
import type { WriteParquetOptions } from '../operators/write-parquet.ts';
import type { CsvOptions } from '../sources/csv.ts';
import { csv } from '../sources/csv.ts';
import type { FilesOptions } from '../sources/files.ts';
import type { GlobOptions } from '../sources/glob.ts';
import { lines } from '../sources/lines.ts';
import type { FileSourceOptions } from '../sources/loss-policy.ts';
import type { ObjectsOptions } from '../sources/objects.ts';
import type { ParquetOptions } from '../sources/parquet.ts';
import { range } from '../sources/range.ts';
import type { TfrecordOptions } from '../sources/tfrecord.ts';
import { merge } from './joins.ts';
import type { OPTIONS } from './known-options.ts';
import type {
  CacheOptions,
  ForEachOptions,
  FunctionOptions,
  JoinOptions,
  KeepOptions,
  MapOptions,
} from './operator-options.ts';
import type { Pipeline } from './pipeline.ts';

type Last<F> = F extends (...args: infer A) => unknown
  ? Required<A> extends [...unknown[], infer O]
    ? O
    : never
  : never;

/** The types that say which options a kind has. */
interface Typed {
  map: MapOptions;
  filter: FunctionOptions;
  flatMap: FunctionOptions;
  forEach: ForEachOptions;
  interleave: Last<Pipeline<number>['interleave']>;
  batch: Last<Pipeline<number>['batch']>;
  paddedBatch: Last<Pipeline<number>['paddedBatch']>;
  window: Last<Pipeline<number>['window']>;
  shuffle: Last<Pipeline<number>['shuffle']>;
  groupBy: KeepOptions;
  join: JoinOptions;
  cache: CacheOptions;
  merge: Last<typeof merge>;
  range: Last<typeof range>;
  lines: FileSourceOptions;
  jsonl: FileSourceOptions;
  tar: FileSourceOptions;
  webdataset: FileSourceOptions;
  files: FilesOptions;
  glob: GlobOptions;
  csv: CsvOptions;
  tfrecords: TfrecordOptions;
  parquet: ParquetOptions;
  objects: ObjectsOptions;
  writeCsv: WriteCsvOptions;
  writeParquet: WriteParquetOptions;
}

/** Compiles only where the table has exactly the options of the types. */
type Missing = { [K in keyof Typed]: Exclude<keyof Typed[K], (typeof OPTIONS)[K][number]> }[keyof Typed];
type Surplus = { [K in keyof Typed]: Exclude<(typeof OPTIONS)[K][number], keyof Typed[K]> }[keyof Typed];
const none: [Missing, Surplus] extends [never, never] ? true : [Missing, Surplus] = true;

describe('an option that there is not', () => {
  it('stands in no type, and none that there is is missing', () => {
    expect(none).toBe(true);
  });

  const misspelt = (options: object): never => options as never;

  it.each([
    ['map', () => range(3).map(x => x, misspelt({ paralelism: 2 })), 'paralelism'],
    ['batch', () => range(3).batch(2, misspelt({ dropReminder: true })), 'dropReminder'],
    ['lines', () => lines('a.txt', misspelt({ onEror: 'skip' })), 'onEror'],
    ['csv', () => csv('a.csv', misspelt({ delimeter: ';' })), 'delimeter'],
    ['merge', () => merge([range(1)], misspelt({ blocks: 2 })), 'blocks'],
    [
      'groupBy',
      () =>
        range(3)
          .groupBy(String)
          .count(misspelt({ memory: 2 })),
      'memory',
    ],
    ['take', () => range(3).take(2, misspelt({ parallelism: 2 })), 'parallelism'],
    ['writeCsv', () => range(3).writeCsv('a.csv', misspelt({ headers: false })), 'headers'],
    ['writeJsonl', () => range(3).writeJsonl('a', misspelt({ indent: 2 })), 'indent'],
  ])('is refused: %s', (kind, build, option) => {
    expect(build).toThrow(`${kind} has no option '${option}'`);
  });
});
