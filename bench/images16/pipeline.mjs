/**
 * The pipeline, in three ways: `stack` makes one array of the images of a batch, as the DataLoader does; `elements` batches an array for each; `whole`
 * batches the names of files, and one thread makes all of a batch.
 */
import { files, pipeline } from 'venturi/engine';
import { BATCH, FLOATS, SIDE, tensor } from './work.mjs';

const SHAPE = [3, SIDE, SIDE];
const labelOf = ({ path }) => BigInt(path.split('/').at(-2));
const image = (file, int, out) => ({ data: tensor(file.path, int, out), shape: SHAPE });

const PARAMETERS = { folder: String, lanes: 1, way: 'stack' };

export default pipeline(import.meta, PARAMETERS, ({ folder, lanes, way }) => {
  const shuffled = files(folder, { extensions: ['.jpg'] }).shuffle(10_000);
  if (way === 'stack') {
    return shuffled
      .map((file, { rng, out }) => image(file, n => rng.int(n), out(Float32Array, FLOATS)), {
        name: 'image',
        parallelism: lanes,
      })
      .stack(BATCH, { dropRemainder: true });
  }
  if (way === 'elements') {
    return shuffled
      .map((file, { rng }) => image(file, n => rng.int(n)), { name: 'image', parallelism: lanes })
      .batch(BATCH, { dropRemainder: true });
  }
  return shuffled.batch(BATCH, { dropRemainder: true }).map(
    (batch, { rng }) => ({
      images: batch.map(file => image(file, n => rng.int(n))),
      labels: BigInt64Array.from(batch, labelOf),
    }),
    { name: 'images', parallelism: lanes },
  );
});

/** The arrays of a batch, in any way. */
export const imagesOf = batch =>
  'data' in batch ? [batch.data] : (Array.isArray(batch) ? batch : batch.images).map(({ data }) => data);
