/**
 * Images from storage that is far away: 20 MB/s for all threads together and 10 ms until a file begins to arrive. One
 * reader waits most of the time; several fill the line; and from the second epoch on a cache needs no line at all. A tuner
 * sees few elements at this rate, so `read` and `decode` say themselves that they give the same every time. With `--param bandwidth=0` the files
 * come from the local disk.
 *
 *     venturi run examples/pipelines/slow-storage.ts --epochs 5 --record slow
 */
import { decodeJpeg, files, limitedStorage, localStorage, normalise, pipeline } from 'venturi/engine';
import { EXAMPLES } from './data/made-once.ts';
import { photographs } from './data/photographs.ts';
import { MEAN, randomCrop, randomFlip, STD } from './parts/augment.ts';

const PARAMETERS = { folder: EXAMPLES, images: 160, side: 160, batch: 16, bandwidth: 20e6, latency: 10 };

export default pipeline(import.meta, PARAMETERS, ({ folder, images, side, batch, bandwidth, latency }) => {
  const storage =
    bandwidth === 0
      ? localStorage
      : limitedStorage({ bytesPerSecond: bandwidth, latencyMs: latency, device: 'images' });
  return files(photographs(folder, images))
    .map(({ path }) => storage.readFile(path), { name: 'read', random: false })
    .map(decodeJpeg, { name: 'decode', random: false })
    .map((image, { rng }) => randomCrop(image, side, rng), { name: 'crop' })
    .map((image, { rng }) => randomFlip(image, rng), { name: 'flip' })
    .map(image => normalise(image, MEAN, STD), { name: 'normalise' })
    .batch(batch);
});
