/**
 * `node images-run.mjs FOLDER IMAGES EPOCHS [RECORDING [watch]]`: the image pipeline, recorded into RECORDING if
 * there is one, its events timed with `watch`. With `compare FILE` in its place one pass is compared with the floats in FILE that images_peer.py made.
 */
import { openSync, readSync } from 'node:fs';
import { batches } from './batches.mjs';
import images, { BATCH } from './images.mjs';

const [folder, count, epochs, recording, more] = process.argv.slice(2);
const params = { folder, epochs: Number(epochs) };

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

/** How many floats have the same bits. */
async function compared(path) {
  const file = openSync(path);
  let [values, equalFloats] = [0, 0];
  for await (const batch of images.run({ params: { ...params, fixed: true } })) {
    for (const ours of batch) {
      const theirs = new Float32Array(ours.length);
      const bytes = readSync(file, theirs, 0, theirs.byteLength);
      if (bytes !== theirs.byteLength) throw new Error('the peer made fewer floats');
      for (let at = 0; at < ours.length; at++) if (ours[at] === theirs[at]) equalFloats++;
      values += ours.length;
    }
  }
  if (readSync(file, new Uint8Array(1)) !== 0) throw new Error('the peer made more floats');
  return { values, equalFloats };
}
