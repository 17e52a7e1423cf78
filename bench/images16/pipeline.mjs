/**
 * The pipeline, in two ways: `elements` maps images and batches them, as one writes it; `whole` batches the names of files, and one thread
 * makes all of a batch.
 */
import { files, pipeline } from 'venturi/engine';
import { BATCH, SIDE, tensor } from './work.mjs';

const SHAPE = [3, SIDE, SIDE];
const labelOf = ({ path }) => BigInt(path.split('/').at(-2));
const image = (file, int) => ({ data: tensor(file.path, int), shape: SHAPE });

const PARAMETERS = { folder: String, lanes: 1, way: 'elements' };

export default pipeline(import.meta, PARAMETERS, ({ folder, lanes, way }) => {
  const shuffled = files(folder, { extensions: ['.jpg'] }).shuffle(10_000);
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

/** The tensors of a batch, either way. */
export const imagesOf = batch => (Array.isArray(batch) ? batch : batch.images).map(({ data }) => data);
