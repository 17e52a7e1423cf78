import { badOption } from '../../model/option.ts';

const NAME = ['name'] as const;
const FILES = [...NAME, 'onError'] as const;
const FUNCTION = [...NAME, 'onError', 'parallelism', 'random', 'borrow'] as const;
const MAP = [...FUNCTION, 'concurrency'] as const;
const HTTP = [
  'concurrency',
  'partBytes',
  'retries',
  'timeoutMs',
  'minBytesPerSecond',
  'totalTimeoutMs',
  'maxRetryAfterMs',
  'maxObjectBytes',
] as const;

/** The options of every operator and source that has more than a name, by its kind. */
export const OPTIONS = {
  map: MAP,
  filter: FUNCTION,
  flatMap: FUNCTION,
  forEach: [...MAP, 'harmless'],
  interleave: [...NAME, 'cycle', 'block'],
  batch: [...NAME, 'dropRemainder', 'parallelism'],
  paddedBatch: [...NAME, 'pad', 'columns', 'dropRemainder', 'parallelism'],
  stack: [...NAME, 'dropRemainder', 'parallelism'],
  window: [...NAME, 'stride'],
  groupBy: [...NAME, 'limit'],
  join: [...NAME, 'how', 'limit'],
  shuffle: [...NAME, 'seed'],
  cache: [...NAME, 'folder', 'limit', 'version'],
  merge: [...NAME, 'block'],
  range: [...NAME, 'start', 'step'],
  lines: FILES,
  jsonl: FILES,
  tar: FILES,
  webdataset: FILES,
  files: [...FILES, 'extensions'],
  glob: [...FILES, 'cwd'],
  csv: [...FILES, 'columns', 'delimiter', 'quote', 'types'],
  tfrecords: [...FILES, 'compression', 'verify'],
  parquet: [...FILES, 'columns', 'storage'],
  objects: [...NAME, ...HTTP],
  writeCsv: [...NAME, 'columns', 'delimiter', 'header'],
  writeParquet: [...NAME, 'columns', 'compression', 'rowGroupBytes'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** Refuses an option that there is not: JavaScript would take a misspelt one for one that was left out. */
export function checkOptions(kind: string, options: object, otherwise: readonly string[] = NAME): void {
  const known = Object.hasOwn(OPTIONS, kind) ? OPTIONS[kind as keyof typeof OPTIONS] : otherwise;
  const unknown = Object.keys(options).find(name => !known.some(option => option === name));
  if (unknown === undefined) return;
  throw badOption(`${kind} has no option '${unknown}'`, `it has ${known.join(', ')}`);
}
