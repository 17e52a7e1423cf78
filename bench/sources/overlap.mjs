/** Reading in one thread, computing in the next; and each of the two alone. */
import { files, from, limitedStorage, pipeline, tfrecords } from 'venturi/engine';

/** A disk behind a network. */
const storage = limitedStorage({ bytesPerSecond: 100e6, latencyMs: 10 });

const ELEMENT_BYTES = 100_000;
function* arrays(count) {
  const bytes = new Uint8Array(ELEMENT_BYTES);
  for (let number = 0; number < count; number++) yield bytes;
}

const SOURCES = {
  'slow-files': ({ path }) => files(path).map(async file => storage.readFileAsync(file.path), { concurrency: 32 }),
  tfrecords: ({ path }) => tfrecords(path),
};

function compute(bytes) {
  let sum = 0;
  for (let round = 0; round < 3; round++) for (let at = 0; at < bytes.length; at++) sum = (sum + bytes[at] * at) | 0;
  return sum;
}

export default pipeline(
  import.meta,
  { kind: String, part: String, path: '', count: 0 },
  ({ kind, part, path, count }) => {
    const source = part === 'compute' ? from(() => arrays(count)) : SOURCES[kind]({ path });
    const work = part === 'read' ? bytes => bytes.length : compute;
    return source.map(work, { name: 'work', parallelism: 1 });
  },
);
