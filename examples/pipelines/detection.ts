/**
 * Object detection: images with a mask for every object, of which the boxes are made. `unpack` inflates the planes of a scene on
 * threads of its own, so one call at a time already uses more than one core, and more threads of ours may only get in the way. Steps that give
 * the same every time say so: then their results may be kept after seeing few of them.
 *
 *     venturi run examples/pipelines/detection.ts --epochs 10 --record detection
 */
import { files, normalise, pipeline, readFile } from 'venturi/engine';
import { EXAMPLES } from './data/made-once.ts';
import { scenes } from './data/scenes.ts';
import { MEAN, STD } from './parts/augment.ts';
import { labelled, mirrored, unpacked } from './parts/scene.ts';

const PARAMETERS = { folder: EXAMPLES, scenes: 120, batch: 10 };

export default pipeline(import.meta, PARAMETERS, ({ folder, scenes: count, batch }) =>
  files(scenes(folder, count))
    .map(readFile, { name: 'read', random: false })
    .map(unpacked, { name: 'unpack', concurrency: 1, random: false })
    .map(labelled, { name: 'boxes', random: false })
    .map((scene, { rng }) => mirrored(scene, rng), { name: 'flip' })
    .map(({ image, boxes }) => ({ image: normalise(image, MEAN, STD), boxes }), { name: 'normalise' })
    .batch(batch),
);
