import {
  crop,
  decodeJpeg,
  files,
  flipHorizontally,
  normalise,
  pipeline,
  readFile,
  resize,
} from '../../engine/index.ts';

const MEAN = [0.485, 0.456, 0.406] as const;
const STD = [0.229, 0.224, 0.225] as const;

/** Image classification as most people write it first: one thread, one step after the other. */
export default pipeline(import.meta, { folder: String, size: 224, batch: 32 }, ({ folder, size, batch }) =>
  files(folder, { extensions: ['.jpg'] })
    .map(readFile, { name: 'read' })
    .map(decodeJpeg, { name: 'decode' })
    .map(image => resize(image, size + 32, size + 32), { name: 'resize' })
    .map((image, { rng }) => crop(image, rng.int(33), rng.int(33), size, size), { name: 'crop' })
    .map((image, { rng }) => (rng.chance(0.5) ? flipHorizontally(image) : image), { name: 'flip' })
    .map(image => normalise(image, MEAN, STD), { name: 'normalise' })
    .batch(batch),
);
