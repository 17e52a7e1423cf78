import { fileOf } from '../storage/file-bytes.ts';
import { decodeNamed } from './broken-file.ts';
import type { Image } from './image.ts';
import * as jpeg from './jpeg.ts';
import * as png from './png.ts';

// Functions with a text of their own: a cache on disk tells by it what has made its elements.

/** Decodes a JPEG file to RGB, whatever its own colours are. Synchronous: its CPU time belongs to the calling thread. */
export function decodeJpeg(bytes: Uint8Array): Image {
  return decodeNamed(jpeg.decodeJpeg, bytes, fileOf(bytes));
}

/**
 * Decodes a PNG file to RGB, whatever its own colours are. Transparency is dropped, not blended: a pixel keeps the colour it is
 * stored with, even where nothing of it would be seen. Of 16-bit levels the high byte is kept. Colour profiles and gamma
 * are not applied. Synchronous: its CPU time belongs to the calling thread.
 */
export function decodePng(bytes: Uint8Array): Image {
  return decodeNamed(png.decodePng, bytes, fileOf(bytes));
}
