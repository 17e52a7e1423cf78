/**
 * Images against PyTorch's DataLoader with two workers: JPEG files → decoded → shorter side to 224 → a random 224 x 224 of it,
 * mirrored or not → normalised → batches of 64. Before anything is timed both sides make one pass with the same parts and
 * mirrors, and the pixels are compared: with the fast decoder they are almost the peer's, with the exact one every float
 * is, bit for bit, what torchvision makes with Pillow.
 */
import { join } from 'node:path';
import { makeImages } from 'venturi/engine';
import { inChild, interleaved, median } from '../harness.mjs';
import { recordingCase } from './recording-case.mjs';
import { fastestVariant, findTorch, runPeer } from './torch.mjs';

const IMAGES = 320;
const SIZE = { width: 500, height: 375, seed: 1 };
const EPOCHS = 4;
/** While it is recorded: as many as beside the peer, and as long as a recording is, in which what is done once weighs less. */
const RECORDED_EPOCHS = { images: EPOCHS, 'images-long': 10 };
const RUN = new URL('./images-run.mjs', import.meta.url).href;
const PEER = './images_peer.py';
/** The most the pixels may differ on average, of a range of 1. */
const MOST_DIFFERENCE = 2 / 255;

export async function imageCases(report, folder) {
  const images = join(folder, 'images');
  await makeImages(images, IMAGES, SIZE);
  const torch = await findTorch();
  const cases = { fast: 'images/torch-dataloader', exact: 'images/torch-dataloader-exact' };
  if (torch.absent === undefined) {
    const variant = await fastestVariant(['pillow', 'tensor'], tried => runPeer(torch, PEER, [images, EPOCHS, tried]));
    const floats = join(folder, 'peer.f32');
    await runPeer(torch, PEER, [images, 1, 'pillow', 'compare', floats]);
    await against(report, torch, { name: cases.fast, decoding: 'fast', variant, images, floats, goal: '>= 1.3' });
    // Exactly these pixels are what the peer makes with Pillow, and no other way.
    await against(report, torch, { name: cases.exact, decoding: 'exact', variant: 'pillow', images, floats });
  } else {
    for (const name of Object.values(cases)) report({ case: name, absent: torch.absent });
  }
  for (const [name, epochs] of Object.entries(RECORDED_EPOCHS)) {
    await recordingCase(report, folder, {
      name,
      run: ({ recording, watch, core }) =>
        inChild(RUN, [images, IMAGES, epochs, 'fast', ...[recording, watch].filter(Boolean)], { core }),
      elements: IMAGES * epochs,
      rounds: 12,
      goal: '<= 0.01',
    });
  }
}

async function against(report, torch, { name, decoding, variant, images, floats, goal }) {
  const pixels = await inChild(RUN, [images, IMAGES, 1, decoding, 'compare', floats]);
  const { meanDifference, mostDifference, values, equalFloats } = pixels;
  if (meanDifference > MOST_DIFFERENCE) throw new Error(`${name}: the pixels differ by ${meanDifference} on average`);
  if (decoding === 'exact' && equalFloats !== values) {
    throw new Error(`${name}: ${values - equalFloats} of ${values} floats differ`);
  }
  const { cpu, wall, ours, peer } = await interleaved({
    ours: () => inChild(RUN, [images, IMAGES, EPOCHS, decoding]),
    peer: () => runPeer(torch, PEER, [images, EPOCHS, variant]),
    rounds: 9,
  });
  report({
    case: name,
    ...cpu,
    unit: 'x CPU',
    wall: wall.value,
    wallLow: wall.low,
    wallHigh: wall.high,
    meanPixelDifference: meanDifference,
    mostPixelDifference: mostDifference,
    equalFloats: equalFloats / values,
    ...(decoding === 'exact' && { exact: 'every float32 of every batch, bit for bit, against Pillow and torchvision' }),
    peer: variant,
    ...torch.versions,
    msPerImageOurs: 1e3 * median(ours.map(run => run.cpu)),
    msPerImagePeer: 1e3 * median(peer.map(run => run.cpu)),
    ...(goal !== undefined && { goal }),
  });
}
