/**
 * Images against PyTorch's DataLoader with two workers: JPEG files → decoded → shorter side to 224 → a random 224 x 224 of it,
 * mirrored or not → normalised → batches of 64. Before anything is timed both sides make one pass with the same parts and
 * mirrors, and the pixels are compared: every float is, bit for bit, what torchvision makes with Pillow.
 */
import { join } from 'node:path';
import { makeImages } from 'venturi/engine';
import { fastestVariant, inChild, interleaved } from '../harness.mjs';
import { recordingCase } from './recording-case.mjs';
import { comparedWith, findTorch, runPeer } from './torch.mjs';

const IMAGES = 320;
const SIZE = { width: 500, height: 375, seed: 1 };
const EPOCHS = 4;
/** While it is recorded: as many as beside the peer, and as long as a recording is, in which what is done once weighs less. */
const RECORDED_EPOCHS = { images: EPOCHS, 'images-long': 10 };
const RUN = new URL('./images-run.mjs', import.meta.url).href;
const PEER = './images_peer.py';

export async function imageCases(report, folder) {
  const images = join(folder, 'images');
  await makeImages(images, IMAGES, SIZE);
  const torch = await findTorch();
  const name = 'images/torch-dataloader';
  if (torch.absent === undefined) {
    const floats = join(folder, 'peer.f32');
    await runPeer(torch, PEER, [images, 1, 'pillow', 'compare', floats]);
    await against(report, torch, { name, images, floats, goal: '>= 1.3' });
  } else {
    report({ case: name, absent: torch.absent });
  }
  for (const [name, epochs] of Object.entries(RECORDED_EPOCHS)) {
    await recordingCase(report, folder, {
      name,
      run: ({ recording, watch, core }) =>
        inChild(RUN, [images, IMAGES, epochs, ...[recording, watch].filter(Boolean)], { core }),
      elements: IMAGES * epochs,
      rounds: 12,
      goal: '<= 0.01',
    });
  }
}

async function against(report, torch, { name, images, floats, goal }) {
  const { values, equalFloats } = await inChild(RUN, [images, IMAGES, 1, 'compare', floats]);
  if (equalFloats !== values) throw new Error(`${name}: ${values - equalFloats} of ${values} floats differ`);
  const variant = await fastestVariant(['pillow', 'tensor'], tried => runPeer(torch, PEER, [images, EPOCHS, tried]));
  const compared = await interleaved({
    ours: () => inChild(RUN, [images, IMAGES, EPOCHS]),
    peer: () => runPeer(torch, PEER, [images, EPOCHS, variant]),
    rounds: 9,
  });
  const facts = { exact: `${values} floats, bit for bit, against Pillow and torchvision`, peer: variant };
  report({ case: name, ...comparedWith(torch, compared, ['msPerImage', 1e3], facts), goal });
}
