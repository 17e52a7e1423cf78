import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Decoder, decodeWith, images } from './decoder.ts';
import { decodePng } from './png.ts';

const png = readFileSync(new URL('./golden/rgb8.png', import.meta.url));
const named = (kind: string, how: Partial<Decoder<string>>): Decoder<string> => ({ kind, decode: () => kind, ...how });

describe('bytes are decoded', () => {
  it('as the image they are, whatever their name', () => {
    expect(decodeWith(images, png)).toEqual(decodePng(png));
    expect(decodeWith(images, { path: 'photo.jpg', bytes: png })).toEqual(decodePng(png));
  });

  it('by the first that knows them, and by name only where none does', () => {
    const decoders = [
      named('name', { extensions: ['.bin'] }),
      named('look', { magic: bytes => bytes[1] === 2 }),
      named('start', { magic: [1] }),
    ];
    const decoded = (...bytes: number[]): string =>
      decodeWith(decoders, { path: 'a/b.BIN', bytes: Uint8Array.from(bytes) });
    expect([decoded(1), decoded(1, 2), decoded(9)]).toEqual(['start', 'look', 'name']);
  });

  it.each([
    [Uint8Array.of(), 'no decoder knows what begins with nothing'],
    [Uint8Array.of(255, 216), 'no decoder knows what begins with ff d8'],
    [
      { path: 'x.webp', bytes: new Uint8Array(20) },
      'no decoder knows x.webp, which begins with 00 00 00 00 00 00 00 00',
    ],
  ])('or refused with what they begin with', (bytes, message) => {
    expect(() => decodeWith(images, bytes)).toThrow(
      expect.objectContaining({ code: 'VENTURI_BAD_RECORD', message, remedy: expect.stringContaining('jpeg, png') }),
    );
  });
});
