import { promisify } from 'node:util';
import { deserialize } from 'node:v8';
import { inflate } from 'node:zlib';
import { flipHorizontally, type Image, type Random } from 'venturi/engine';
import type { PackedScene } from '../data/scenes.ts';

/** Left, top, right and bottom, in pixels; the last two lie just outside. */
export type Box = readonly [number, number, number, number];

export interface Labelled {
  readonly image: Image;
  readonly boxes: readonly Box[];
}

const inflated = promisify(inflate);

/** Inflates a scene's planes all at once. zlib does that on threads of its own, as many native libraries do. */
export async function unpacked(file: Uint8Array) {
  const { width, height, pixels, masks } = deserialize(file) as PackedScene;
  const [data, ...planes] = await Promise.all([pixels, ...masks].map(plane => inflated(plane)));
  return { image: { width, height, channels: 3, data: data as Uint8Array } as const, masks: planes };
}

/** The box around each mask; a mask of nothing has none. */
export function labelled({ image, masks }: Awaited<ReturnType<typeof unpacked>>): Labelled {
  return { image, boxes: masks.flatMap(mask => boxAround(mask, image.width) ?? []) };
}

function boxAround(mask: Uint8Array, width: number): readonly [Box] | undefined {
  let [left, top, right, bottom] = [width, Number.POSITIVE_INFINITY, 0, 0];
  for (let at = mask.indexOf(1); at !== -1; at = mask.indexOf(1, at + 1)) {
    const x = at % width;
    const y = (at - x) / width;
    left = Math.min(left, x);
    right = Math.max(right, x + 1);
    top = Math.min(top, y);
    bottom = y + 1;
  }
  return bottom === 0 ? undefined : [[left, top, right, bottom]];
}

/** Half of the time the image and its boxes are mirrored. */
export function mirrored({ image, boxes }: Labelled, rng: Random): Labelled {
  if (rng.chance(0.5)) return { image, boxes };
  const flip = ([left, top, right, bottom]: Box): Box => [image.width - right, top, image.width - left, bottom];
  return { image: flipHorizontally(image), boxes: boxes.map(flip) };
}
