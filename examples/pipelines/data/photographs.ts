import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeJpeg } from 'venturi/engine';
import { Draws } from './draws.ts';
import { madeOnce } from './made-once.ts';

const QUALITY = 90;

/** A folder of JPEG files: colours that change from corner to corner, and grain, which is most of what a decoder works on. */
export const photographs = (folder: string, count: number, width = 500, height = 375): string =>
  madeOnce(folder, `photographs-${count}-${width}x${height}`, into => {
    for (let index = 0; index < count; index++) {
      const image = { width, height, channels: 3, data: paint(width, height, new Draws(index)) } as const;
      writeFileSync(join(into, `${String(index).padStart(5, '0')}.jpg`), encodeJpeg(image, QUALITY));
    }
  });

/** Red, green and blue of every pixel. */
export function paint(width: number, height: number, draws: Draws): Uint8Array {
  const corners = Array.from({ length: 9 }, () => draws.between(40, 215));
  const grain = Uint8Array.from({ length: 4096 }, () => draws.between(0, 40));
  const data = new Uint8Array(width * height * 3);
  let at = 0;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      for (let channel = 0; channel < 3; channel++) {
        const [from = 0, right = 0, down = 0] = corners.slice(channel * 3);
        const level = from + ((right - from) * x) / width / 2 + ((down - from) * y) / height / 2;
        data[at++] = level - 20 + (grain[(at * 31 + y) & 4095] ?? 0);
      }
    }
  }
  return data;
}
