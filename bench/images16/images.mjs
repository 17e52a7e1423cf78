/** Synthetic JPEGs of 300 to 700 x 250 to 600 pixels, about 65 kB each, in ten folders that are their classes. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeJpeg, pipeline, range, resize } from 'venturi/engine';

const QUALITY = 88;
/** Pixels between two points of the coarse picture; what lies between is interpolated. */
const COARSE = 16;
/** Half the range of the grain, in levels of a pixel. */
const GRAIN = 12;

function drawn(random) {
  const [width, height] = [300 + random.int(400), 250 + random.int(350)];
  const coarse = { width: Math.floor(width / COARSE) + 1, height: Math.floor(height / COARSE) + 1, channels: 3 };
  const data = Uint8Array.from({ length: coarse.width * coarse.height * 3 }, () => random.int(255));
  const image = resize({ ...coarse, data }, width, height);
  const grained = Uint8ClampedArray.from(image.data, level => level + random.int(2 * GRAIN) - GRAIN);
  return { ...image, data: new Uint8Array(grained.buffer) };
}

/** Those that are there already are kept. */
export default pipeline(import.meta, { folder: String, count: 3000, lanes: 1 }, ({ folder, count, lanes }) =>
  range(count).forEach(
    (index, { rng }) => {
      const path = join(folder, String(index % 10), `${index}.jpg`);
      if (existsSync(path)) return;
      mkdirSync(join(folder, String(index % 10)), { recursive: true });
      writeFileSync(path, encodeJpeg(drawn(rng), QUALITY));
    },
    { parallelism: lanes, harmless: true },
  ),
);
