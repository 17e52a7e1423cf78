import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serialize } from 'node:v8';
import { deflateSync } from 'node:zlib';
import { Draws } from './draws.ts';
import { madeOnce } from './made-once.ts';
import { paint } from './photographs.ts';

/** An image and a mask for every object in it, each deflated. */
export interface PackedScene {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
  readonly masks: readonly Uint8Array[];
}

/** A folder of scenes, each a file as `node:v8` serialises objects. */
export const scenes = (folder: string, count: number, width = 320, height = 240): string =>
  madeOnce(folder, `scenes-${count}-${width}x${height}`, into => {
    for (let index = 0; index < count; index++) {
      const draws = new Draws(index);
      const scene: PackedScene = {
        width,
        height,
        pixels: deflateSync(paint(width, height, draws)),
        masks: Array.from({ length: draws.between(4, 8) }, () => deflateSync(ellipse(width, height, draws))),
      };
      writeFileSync(join(into, `${String(index).padStart(5, '0')}.scene`), serialize(scene));
    }
  });

/** 1 inside of it, 0 outside. */
function ellipse(width: number, height: number, draws: Draws): Uint8Array {
  const [x, y] = [draws.between(0, width), draws.between(0, height)];
  const [across, down] = [draws.between(8, width / 3), draws.between(8, height / 3)];
  return Uint8Array.from({ length: width * height }, (_, at) => {
    const [right, below] = [((at % width) - x) / across, (Math.floor(at / width) - y) / down];
    return right * right + below * below < 1 ? 1 : 0;
  });
}
