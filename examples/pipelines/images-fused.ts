/**
 * The same images with decoding and cropping in one step, and the same batches to the last bit: `crop` has the name of the one
 * in images.ts and so draws the same numbers. No whole image passes between threads, but nothing behind `read` can be kept
 * either. Which of the two is faster depends on the machine: see pickBest in docs/tune.md.
 *
 *     venturi run examples/pipelines/images-fused.ts --epochs 20 --record images-fused
 */
import { decodeJpeg, files, normalise, pipeline, readFile } from 'venturi/engine';
import { EXAMPLES } from './data/made-once.ts';
import { photographs } from './data/photographs.ts';
import { MEAN, randomCrop, randomFlip, STD } from './parts/augment.ts';

const PARAMETERS = { folder: EXAMPLES, images: 160, side: 160, batch: 16 };

export default pipeline(import.meta, PARAMETERS, ({ folder, images, side, batch }) =>
  files(photographs(folder, images))
    .map(readFile, { name: 'read' })
    .map((bytes, { rng }) => randomCrop(decodeJpeg(bytes), side, rng), { name: 'crop' })
    .map((image, { rng }) => randomFlip(image, rng), { name: 'flip' })
    .map(image => normalise(image, MEAN, STD), { name: 'normalise' })
    .batch(batch),
);
