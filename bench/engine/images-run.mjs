/**
 * `node images-run.mjs FOLDER IMAGES EPOCHS fast|exact [RECORDING [watch]]`: the image pipeline, recorded into RECORDING if
 * there is one, its events timed with `watch`. With `compare FILE` in its place one pass is compared with the floats in FILE that images_peer.py made.
 */
import { openSync, readSync } from 'node:fs';
import { batches } from './batches.mjs';
import images, { BATCH, MEAN, SIDE, STD } from './images.mjs';

const [folder, count, epochs, decoding, recording, more] = process.argv.slice(2);
const params = { folder, epochs: Number(epochs), exact: decoding === 'exact' };

if (recording === 'compare') {
  process.stdout.write(`${JSON.stringify(await compared(more))}\n`);
} else {
  const result = await batches({
    definition: images,
    options: { params },
    folder: recording,
    watch: more === 'watch',
    count: Number(count) * Number(epochs),
    batch: BATCH,
    operator: 'tensors',
    each: BATCH,
    sum: tensors => tensors[0][0] + tensors.at(-1).at(-1),
  });
  process.stdout.write(`${JSON.stringify(result)}\n`);
}

/** Differences are of levels from 0 to 255, with mean and deviation taken out again; `equalFloats` is bit for bit. */
async function compared(path) {
  const file = openSync(path);
  const plane = SIDE * SIDE;
  let [sum, most, values, equalFloats] = [0, 0, 0, 0];
  for await (const batch of images.run({ params: { ...params, fixed: true } })) {
    for (const ours of batch) {
      const theirs = new Float32Array(ours.length);
      const bytes = readSync(file, theirs, 0, theirs.byteLength);
      if (bytes !== theirs.byteLength) throw new Error('the peer made fewer floats');
      for (let at = 0; at < ours.length; at++) {
        const channel = Math.floor(at / plane);
        const difference = Math.abs(level(ours[at], channel) - level(theirs[at], channel));
        sum += difference;
        most = Math.max(most, difference);
        if (ours[at] === theirs[at]) equalFloats++;
      }
      values += ours.length;
    }
  }
  if (readSync(file, new Uint8Array(1)) !== 0) throw new Error('the peer made more floats');
  return { meanDifference: sum / values / 255, mostDifference: most / 255, values, equalFloats };
}

function level(value, channel) {
  return Math.round(255 * (value * STD[channel] + MEAN[channel]));
}
