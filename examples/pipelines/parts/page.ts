import { basename } from 'node:path';
import { type FileEntry, readFile } from 'venturi/engine';
import { CELL, GLYPHS } from '../data/typeface.ts';

/** A scanned page, as its file is. */
export interface Page {
  readonly name: string;
  readonly file: Uint8Array;
  readonly width: number;
  readonly height: number;
}

export interface ReadPage extends Page {
  readonly text: string;
}

export function pageOf(entry: FileEntry): Page {
  const file = readFile(entry);
  const [, width, height] = /^P5\s(\d+)\s(\d+)\s255\s/.exec(Buffer.from(file.subarray(0, 40)).toString('latin1')) ?? [];
  return { name: basename(entry.path, '.pgm'), file, width: Number(width), height: Number(height) };
}

/** The grey of its pixels, row after row. */
export const pixelsOf = ({ file, width, height }: Page): Uint8Array => file.subarray(file.length - width * height);

/**
 * Reads a page in the examples' own typeface: each letter is compared, pixel by pixel, with all there are. It stands in for a
 * real OCR engine: it takes the CPU of one, about four times what `pdfOf` takes, as the paper measured, and reads nothing else.
 */
export function matchGlyphs(page: Page): string {
  const pixels = pixelsOf(page);
  const lines: string[] = [];
  for (let top = 0; top < page.height; top += CELL.height) {
    let line = '';
    for (let left = 0; left < page.width; left += CELL.width)
      line += nearestGlyph(pixels, top * page.width + left, page.width);
    lines.push(line.trimEnd());
  }
  return lines.join('\n');
}

function nearestGlyph(pixels: Uint8Array, corner: number, stride: number): string {
  let nearest = '';
  let least = Number.POSITIVE_INFINITY;
  for (const { letter, pixels: glyph } of GLYPHS) {
    const distance = distanceOf(pixels, corner, stride, glyph);
    if (distance >= least) continue;
    least = distance;
    nearest = letter;
  }
  return nearest;
}

function distanceOf(pixels: Uint8Array, corner: number, stride: number, glyph: Uint8Array): number {
  const { width, height } = CELL;
  let distance = 0;
  for (let y = 0; y < height; y++) {
    const row = corner + y * stride;
    for (let x = 0; x < width; x++) {
      const difference = (pixels[row + x] ?? 0) - (glyph[y * width + x] ?? 0);
      distance += difference * difference;
    }
  }
  return distance;
}

/** How often each word stands on the page. */
export function indexOf({ name, text }: ReadPage): { name: string; words: Record<string, number> } {
  const words: Record<string, number> = {};
  for (const word of text.split(/\s+/)) words[word] = (words[word] ?? 0) + 1;
  return { name, words };
}
