import type { Image } from './image.ts';

/** One component of an image. Its rows are as long as whole units; below the last one it goes on as that. */
export class Plane {
  readonly #levels: Uint8Array;
  readonly #stride: number;
  readonly rows: number;

  constructor(stride: number, rows: number) {
    this.#levels = new Uint8Array(stride * rows);
    this.#stride = stride;
    this.rows = rows;
  }

  set(x: number, y: number, level: number): void {
    this.#levels[y * this.#stride + x] = level;
  }

  /** 8 x 8 levels around 0. */
  read(left: number, top: number, into: Int32Array): void {
    for (let row = 0; row < 8; row++) {
      const from = Math.min(top + row, this.rows - 1) * this.#stride + left;
      for (let x = 0; x < 8; x++) into[row * 8 + x] = (this.#levels[from + x] as number) - 128;
    }
  }
}

/** Brightness, and both colours at half resolution, with the constants of ITU-R BT.601 times 2^16, all rounded as in libjpeg. */
export function planesOf({ width, height, data }: Image): Readonly<Record<'luma' | 'blue' | 'red', Plane>> {
  const units = Math.ceil(width / 16);
  const luma = new Plane(units * 16, height);
  const blue = new Plane(units * 8, Math.ceil(height / 2));
  const red = new Plane(units * 8, Math.ceil(height / 2));
  const at = (x: number, y: number): number => (Math.min(y, height - 1) * width + Math.min(x, width - 1)) * 3;
  const blues = [0, 0, 0, 0];
  const reds = [0, 0, 0, 0];
  for (let y = 0; y < height; y += 2) {
    for (let x = 0; x < units * 16; x += 2) {
      for (let corner = 0; corner < 4; corner++) {
        const [column, row] = [x + (corner & 1), y + (corner >> 1)];
        const from = at(column, row);
        const [r, g, b] = [data[from] as number, data[from + 1] as number, data[from + 2] as number];
        if (row < height) luma.set(column, row, (19595 * r + 38470 * g + 7471 * b + 32768) >> 16);
        blues[corner] = (-11059 * r - 21709 * g + 32768 * b + CENTRE) >> 16;
        reds[corner] = (32768 * r - 27439 * g - 5329 * b + CENTRE) >> 16;
      }
      // A half is rounded up and down in turn.
      const half = 1 + ((x >> 1) & 1);
      blue.set(x >> 1, y >> 1, (sum(blues) + half) >> 2);
      red.set(x >> 1, y >> 1, (sum(reds) + half) >> 2);
    }
  }
  return { luma, blue, red };
}

const CENTRE = (128 << 16) + 32767;

const sum = ([a = 0, b = 0, c = 0, d = 0]: readonly number[]): number => a + b + c + d;
