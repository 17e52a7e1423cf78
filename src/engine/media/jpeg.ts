import { createRequire } from 'node:module';
import { VenturiError } from '../../model/errors.ts';
import { decodeExactly } from './exact-jpeg.ts';
import type { Image } from './image.ts';
import { NotBaseline } from './jpeg-headers.ts';

type Codec = typeof import('@julusian/jpeg-turbo');

/** An optional native package, loaded at first use: the engine imports without it. */
let codec: Codec | undefined;

function loadCodec(): Codec {
  if (codec !== undefined) return codec;
  try {
    codec = createRequire(import.meta.url)('@julusian/jpeg-turbo') as Codec;
    return codec;
  } catch (cause) {
    throw new VenturiError(
      'VENTURI_CODEC_MISSING',
      'JPEG images need the package @julusian/jpeg-turbo, which cannot be loaded.',
      {
        remedy: 'npm install @julusian/jpeg-turbo@2.3.0',
        cause,
      },
    );
  }
}

/** Decodes to RGB, whatever the file's own colours are. Synchronous: its CPU time belongs to the calling thread. */
export function decodeJpeg(bytes: Uint8Array): Image {
  const { decompressSync, FORMAT_RGB } = loadCodec();
  const { width, height } = jpegSize(bytes);
  const data = new Uint8Array(width * height * 3);
  try {
    decompressSync(asBuffer(bytes), asBuffer(data), { format: FORMAT_RGB });
  } catch (cause) {
    if (!isHarmless(cause)) throw badRecord(cause instanceof Error ? cause.message : String(cause), cause);
  }
  return { width, height, channels: 3, data };
}

/**
 * The same with every pixel as Pillow, torchvision and libjpeg have it by default, where `decodeJpeg` may be off by a few levels.
 * For baseline files, grey or YCbCr, which almost all are; needs no package.
 */
export function decodeJpegExactly(bytes: Uint8Array): Image {
  try {
    return decodeExactly(bytes);
  } catch (cause) {
    if (cause instanceof NotBaseline) throw badRecord(cause.message, cause);
    throw cause;
  }
}

/** Quality runs from 1 to 100. Colours are stored at half resolution, as most encoders do. */
export function encodeJpeg(image: Image, quality: number): Uint8Array {
  const { compressSync, FORMAT_RGB, SAMP_420 } = loadCodec();
  const { width, height } = image;
  const encoded = compressSync(asBuffer(image.data), {
    format: FORMAT_RGB,
    width,
    height,
    quality,
    subsampling: SAMP_420,
  });
  // It is a piece of a buffer of the worst case's size, which would live on with it.
  return new Uint8Array(encoded);
}

/** The most pixels the codec can address: it counts the bytes of an RGB image in 31 bits. */
const MAX_PIXELS = Math.floor((2 ** 31 - 1) / 3);

/** Reads width and height from the file's frame header, without decoding. */
export function jpegSize(bytes: Uint8Array): { width: number; height: number } {
  const at = (index: number): number => bytes[index] ?? 0;
  const pair = (index: number): number => (at(index) << 8) | at(index + 1);
  if (pair(0) !== 0xffd8) throw badRecord('it does not start as a JPEG file does');
  for (let offset = 2; offset + 9 < bytes.length; ) {
    const marker = at(offset + 1);
    if (at(offset) !== 0xff || marker === 0xff) {
      // Fill bytes may stand before a marker.
      offset++;
    } else if (isFrameHeader(marker)) {
      const height = pair(offset + 5);
      const width = pair(offset + 7);
      if (width === 0 || height === 0 || width * height > MAX_PIXELS)
        throw badRecord(`its size is ${width} x ${height}`);
      return { width, height };
    } else {
      offset += 2 + pair(offset + 2);
    }
  }
  throw badRecord('it ends before its frame header');
}

/** SOF0 to SOF15; three codes among them mean tables (DHT, JPG, DAC). */
function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

/** Stray bytes between segments are skipped by every decoder, and common data sets have such files. The image is whole. */
function isHarmless(error: unknown): boolean {
  return error instanceof Error && /\d+ extraneous bytes before marker/.test(error.message);
}

function badRecord(reason: string, cause?: unknown): VenturiError {
  return new VenturiError('VENTURI_BAD_RECORD', `A JPEG image cannot be decoded: ${reason}.`, {
    remedy: 'Replace or leave out the file, or let the pipeline skip records that cannot be read.',
    cause,
  });
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
