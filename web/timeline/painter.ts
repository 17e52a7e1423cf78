import type { PixelRow } from './pixels.ts';

const FAINT = 0.18;
/** Least height of what happened at all, px. */
const LEAST_HEIGHT = 2;
const OPAQUE = 255;

/** Columns of a drawing, in pixels of the device. */
export interface Strip {
  readonly left: number;
  readonly pixels: number;
}

/**
 * Rows of spans as pixels in memory. A frame has tens of thousands of columns of different heights: written here they take a few
 * milliseconds, drawn as rectangles many times as long.
 */
export class Painter {
  #width = 1;
  #height = 1;
  #pixels = new Uint32Array(1);
  #bytes = new Uint8ClampedArray(this.#pixels.buffer);
  #names: readonly string[] = [];
  #colours: Uint32Array = new Uint32Array(0);
  #faint: Uint32Array = new Uint32Array(0);
  /** Of the row that is written, by column. */
  #colour = new Uint32Array(0);
  #high = new Int32Array(0);

  get width(): number {
    return this.#width;
  }

  get height(): number {
    return this.#height;
  }

  /** As an image has them: red, green, blue and opacity of each pixel, line by line. */
  get bytes(): Uint8ClampedArray<ArrayBuffer> {
    return this.#bytes;
  }

  /** Begins a drawing of this size, in pixels of the device. `colours` by subject, as hexadecimal numbers. */
  begin(width: number, height: number, colours: readonly string[]): void {
    if (this.#width !== width || this.#height !== height) {
      this.#width = Math.max(1, width);
      this.#height = Math.max(1, height);
      this.#pixels = new Uint32Array(this.#width * this.#height);
      this.#bytes = new Uint8ClampedArray(this.#pixels.buffer);
      this.#colour = new Uint32Array(this.#width);
      this.#high = new Int32Array(this.#width);
    } else this.#pixels.fill(0);
    if (colours === this.#names) return;
    this.#names = colours;
    this.#colours = Uint32Array.from(colours, colour => packed(colour, OPAQUE));
    this.#faint = Uint32Array.from(colours, colour => packed(colour, Math.round(FAINT * OPAQUE)));
  }

  /** Moves what is drawn to the left by so many columns, to the right if negative; those that come in are to be cleared. */
  scroll(by: number): void {
    // All lines in one move: what leaves a line at one end comes into the next at the other.
    this.#pixels.copyWithin(Math.max(0, -by), Math.max(0, by), this.#pixels.length - Math.max(0, -by));
  }

  clear({ left, pixels }: Strip): void {
    for (let start = left; start < this.#pixels.length; start += this.#width)
      this.#pixels.fill(0, start, start + pixels);
  }

  /** From column `left` on. Height is the part of a pixel's time that was spent in spans. */
  row(
    { subject, share }: PixelRow,
    left: number,
    y: number,
    height: number,
    bright: ReadonlySet<number> | undefined,
  ): void {
    const width = this.#width;
    const bottom = Math.min(this.#height, Math.round(y + height));
    let highest = 0;
    for (let x = 0; x < subject.length; x++) {
      const whose = subject[x] ?? -1;
      const high = whose < 0 ? 0 : Math.max(LEAST_HEIGHT, Math.round((share[x] ?? 0) * height));
      this.#high[x] = high;
      if (high > highest) highest = high;
      if (high === 0) continue;
      const colours = bright === undefined || bright.has(whose) ? this.#colours : this.#faint;
      this.#colour[x] = colours[whose] ?? 0;
    }
    // Line by line, as they lie in memory.
    for (let up = Math.min(highest, bottom); up > 0; up--) {
      const line = (bottom - up) * width + left;
      for (let x = 0; x < subject.length; x++) {
        if ((this.#high[x] ?? 0) >= up) this.#pixels[line + x] = this.#colour[x] ?? 0;
      }
    }
  }
}

/** `#rgb` or `#rrggbb` as a pixel in memory, of which red is the first byte. */
function packed(colour: string, alpha: number): number {
  const digits = colour.replace('#', '');
  const hex = digits.length === 3 ? [...digits].map(digit => digit + digit).join('') : digits;
  const value = Number.parseInt(hex, 16) || 0;
  return ((alpha << 24) | ((value & 0xff) << 16) | (value & 0xff00) | (value >>> 16)) >>> 0;
}
