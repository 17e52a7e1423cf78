import type { PixelRow } from './pixels.ts';

const FAINT = 0.18;
/** Least height of what happened at all, px. */
const LEAST_HEIGHT = 2;
const OPAQUE = 255;

/**
 * Rows of spans as pixels in memory. A frame has tens of thousands of columns of different heights: written here they take a few
 * milliseconds, drawn as rectangles many times as long.
 */
export class Painter {
  #image = new ImageData(1, 1);
  #pixels = new Uint32Array(this.#image.data.buffer);
  #colours: Uint32Array = new Uint32Array(0);
  #faint: Uint32Array = new Uint32Array(0);

  get width(): number {
    return this.#image.width;
  }

  /** Begins a drawing of this size, in pixels of the device. `colours` by subject, as hexadecimal numbers. */
  begin(width: number, height: number, colours: readonly string[]): void {
    if (this.#image.width !== width || this.#image.height !== height) {
      this.#image = new ImageData(Math.max(1, width), Math.max(1, height));
      this.#pixels = new Uint32Array(this.#image.data.buffer);
    } else this.#pixels.fill(0);
    this.#colours = Uint32Array.from(colours, colour => packed(colour, OPAQUE));
    this.#faint = Uint32Array.from(colours, colour => packed(colour, Math.round(FAINT * OPAQUE)));
  }

  /** Height is the part of a pixel's time that was spent in spans. */
  row({ subject, share }: PixelRow, y: number, height: number, bright: ReadonlySet<number> | undefined): void {
    const { width } = this.#image;
    const bottom = Math.min(this.#image.height, Math.round(y + height));
    for (let x = 0; x < subject.length; x++) {
      const whose = subject[x] ?? -1;
      if (whose < 0) continue;
      const colours = bright === undefined || bright.has(whose) ? this.#colours : this.#faint;
      const colour = colours[whose] ?? 0;
      const high = Math.max(LEAST_HEIGHT, Math.round((share[x] ?? 0) * height));
      for (let at = Math.max(0, bottom - high); at < bottom; at++) this.#pixels[at * width + x] = colour;
    }
  }

  /** Puts the drawing into a canvas, in pixels of the device. */
  show(context: CanvasRenderingContext2D, y: number): void {
    context.putImageData(this.#image, 0, Math.round(y));
  }
}

/** `#rgb` or `#rrggbb` as a pixel in memory, of which red is the first byte. */
function packed(colour: string, alpha: number): number {
  const digits = colour.replace('#', '');
  const hex = digits.length === 3 ? [...digits].map(digit => digit + digit).join('') : digits;
  const value = Number.parseInt(hex, 16) || 0;
  return ((alpha << 24) | ((value & 0xff) << 16) | (value & 0xff00) | (value >>> 16)) >>> 0;
}
