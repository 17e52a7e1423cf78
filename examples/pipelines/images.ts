/**
 * Image classification as most people write it first: one thread, one step after the other. Decoding takes most of the CPU,
 * and everything behind it is random: what is decoded may be kept, what is cropped may not.
 *
 *     venturi run examples/pipelines/images.ts --epochs 20 --record images
 */
import { decodeJpeg, files, normalise, pipeline, readFile } from 'venturi/engine';
import { EXAMPLES } from './data/made-once.ts';
import { photographs } from './data/photographs.ts';
import { MEAN, randomCrop, randomFlip, STD } from './parts/augment.ts';

const PARAMETERS = { folder: EXAMPLES, images: 160, side: 160, batch: 16 };

export default pipeline(import.meta, PARAMETERS, ({ folder, images, side, batch }) =>
  files(photographs(folder, images))
    .map(readFile, { name: 'read' })
    .map(decodeJpeg, { name: 'decode' })
    .map((image, { rng }) => randomCrop(image, side, rng), { name: 'crop' })
    .map((image, { rng }) => randomFlip(image, rng), { name: 'flip' })
    .map(image => normalise(image, MEAN, STD), { name: 'normalise' })
    .batch(batch),
);
