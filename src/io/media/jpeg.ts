import { VenturiError } from '../../model/errors.ts';
import { badImage } from './broken-file.ts';
import type { Image } from './image.ts';
import { decode } from './jpeg-decoder.ts';
import { encode } from './jpeg-encoder.ts';
import { JpegFile } from './jpeg-file.ts';
import { BadJpeg } from './jpeg-segments.ts';

/** Sizes are stored in 16 bits. */
const MOST_ACROSS = 65_535;

/**
 * Decodes to RGB, whatever the file's own colours are, every pixel as Pillow, torchvision and libjpeg have it by default. In
 * WebAssembly and synchronous: its CPU time belongs to the calling thread, and that thread can be ended at any moment.
 */
export function decodeJpeg(bytes: Uint8Array): Image {
  return orBadRecord(() => decode(bytes));
}

/** Quality runs from 1 to 100. Colours are stored at half resolution, as most encoders do. */
export function encodeJpeg(image: Image, quality: number): Uint8Array {
  const { width, height, data } = image;
  if (!(quality >= 1 && quality <= 100)) {
    throw badOption(`quality is ${quality}`, 'Give a quality from 1 to 100; 90 is usual.');
  }
  const isSize = (size: number): boolean => Number.isInteger(size) && size >= 1 && size <= MOST_ACROSS;
  if (!isSize(width) || !isSize(height) || data.length !== width * height * 3) {
    throw badOption(
      `an image of ${width} x ${height} has ${data.length} bytes`,
      `Give one of 1 to ${MOST_ACROSS} pixels across and down, with three bytes for each.`,
    );
  }
  return encode(image, Math.round(quality));
}

/** Reads width and height from the file's frame header, without decoding. */
export function jpegSize(bytes: Uint8Array): { width: number; height: number } {
  const { width, height } = orBadRecord(() => new JpegFile(bytes).frame);
  return { width, height };
}

function orBadRecord<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (!(cause instanceof BadJpeg)) throw cause;
    throw badImage('JPEG', cause.message, cause);
  }
}

function badOption(what: string, remedy: string): VenturiError {
  return new VenturiError('VENTURI_BAD_OPTION', `A JPEG image cannot be encoded: ${what}.`, { remedy });
}
