/**
 * JPEG files → decoded → shorter side to 224 → a random 224 x 224 of it, mirrored or not → normalised → batches of 64, each
 * made whole by one of two threads, as a DataLoader's workers do. `fixed` takes part and mirror from the file's number.
 */
import { decodeJpeg, files, pipeline, readFile, toTensor } from 'venturi/engine';

export const BATCH = 64;
const SIDE = 224;
const MEAN = [0.485, 0.456, 0.406];
const STD = [0.229, 0.224, 0.225];

/** torchvision's Resize(224): the shorter side becomes that, the longer one keeps the proportion, cut to a whole number. */
const resized = ({ width, height }) =>
  width < height
    ? { width: SIDE, height: Math.floor((SIDE * height) / width) }
    : { width: Math.floor((SIDE * width) / height), height: SIDE };

const tensor = (file, draw) => {
  const image = decodeJpeg(readFile(file));
  const size = resized(image);
  const x = draw.int(size.width - SIDE + 1, file);
  const y = draw.int(size.height - SIDE + 1, file);
  const crop = { x, y, width: SIDE, height: SIDE };
  return toTensor(image, { ...size, crop, flip: draw.chance(0.5, file), mean: MEAN, std: STD });
};

/** What images_peer.py draws for the same file when the two are compared. */
const numberOf = ({ path }) => Number(/(\d+)\.jpg$/.exec(path)[1]);
const fixedDraw = {
  int: (below, file) => (numberOf(file) * 7919) % below,
  chance: (_, file) => numberOf(file) % 2 === 1,
};

const PARAMETERS = { folder: String, epochs: 1, lanes: 2, fixed: false };

export default pipeline(import.meta, PARAMETERS, ({ folder, epochs, lanes, fixed }) => {
  const tensors = fixed
    ? batch => batch.map(file => tensor(file, fixedDraw))
    : (batch, { rng }) => batch.map(file => tensor(file, rng));
  return files(folder, { extensions: ['.jpg'] })
    .repeat(epochs)
    .batch(BATCH)
    .map(tensors, { name: 'tensors', parallelism: lanes });
});
