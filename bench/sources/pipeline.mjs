/** Every source by name, and behind it a thread that looks at the bytes. */
import {
  csv,
  files,
  from,
  glob,
  jsonl,
  lines,
  objects,
  parquet,
  pipeline,
  range,
  readFile,
  tar,
  tfrecords,
  webdataset,
} from 'venturi/engine';

/** The source rests before this element, so that one can see the pipeline stand with all its threads and next to no data. */
export const REST_BEFORE = 2;
export const REST_MS = 2000;

const ELEMENT_BYTES = 100_000;
const restWord = new Int32Array(new SharedArrayBuffer(4));
let seen = 0;

function rest(element) {
  if (seen++ === REST_BEFORE) Atomics.wait(restWord, 0, 0, REST_MS);
  return element;
}

function* arrays(count) {
  for (let number = 0; number < count; number++) yield new Uint8Array(ELEMENT_BYTES).fill(number);
}

const SOURCES = {
  range: ({ count }) => range(count),
  from: ({ count }) => from(() => arrays(count)),
  lines: ({ paths }) => lines(paths),
  jsonl: ({ paths }) => jsonl(paths),
  csv: ({ paths }) => csv(paths),
  tfrecords: ({ paths }) => tfrecords(paths),
  'tfrecords-gzip': ({ paths }) => tfrecords(paths),
  tar: ({ paths }) => tar(paths),
  webdataset: ({ paths }) => webdataset(paths),
  parquet: ({ paths }) => parquet(paths),
  files: ({ paths, passes }) => files(paths[0]).repeat(passes).map(readFile),
  glob: ({ paths, passes }) => glob(`${paths[0]}/**/*.bin`).repeat(passes).map(readFile),
  objects: ({ paths }) => objects(paths),
};

/** Bytes of an element, about: what the sum of all is held against. */
function weigh(element) {
  if (typeof element === 'number') return 8;
  if (typeof element === 'string') return element.length + 1;
  if (element instanceof Uint8Array) return element.length;
  let weight = 0;
  for (const key in element) weight += weigh(element[key]);
  return weight;
}

export default pipeline(
  import.meta,
  { source: String, paths: '[]', count: 0, passes: 1 },
  ({ source, paths, count, passes }) =>
    SOURCES[source]({ paths: JSON.parse(paths), count, passes })
      .map(rest)
      .map(weigh, { name: 'weigh', parallelism: 1 })
      .batch(1024),
);
