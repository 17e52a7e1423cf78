import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { crc32, deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { VenturiError } from '../../model/errors.ts';
import { decodePng } from './png.ts';

const golden = (name: string): Buffer => readFileSync(fileURLToPath(new URL(`./golden/${name}`, import.meta.url)));

/** What Pillow reads from each of the files. */
const expected = JSON.parse(golden('png.json').toString()) as Record<
  string,
  { width: number; height: number; rgb: string }
>;
const UNSUPPORTED = 'grey2-interlaced';

const badRecord = expect.objectContaining({ code: 'VENTURI_BAD_RECORD' });

function chunk(kind: string, data: Uint8Array): Buffer {
  const named = Buffer.concat([Buffer.from(kind), data]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.length, 0);
  ends.writeUInt32BE(crc32(named), 4);
  return Buffer.concat([ends.subarray(0, 4), named, ends.subarray(4)]);
}

interface Parts {
  readonly width: number;
  readonly height: number;
  readonly depth: number;
  readonly colour: number;
}

function header({ width, height, depth, colour }: Parts): Buffer {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(width, 0);
  data.writeUInt32BE(height, 4);
  data.set([depth, colour], 8);
  return chunk('IHDR', data);
}

/** A file whose checksums are right, whatever else it says. */
function file(parts: Parts, raw: Uint8Array, ...between: Buffer[]): Buffer {
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const rest = [...between, chunk('IDAT', deflateSync(raw)), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([signature, header(parts), ...rest]);
}

describe('decodePng', () => {
  it.each(Object.keys(expected).filter(name => name !== UNSUPPORTED))('reads %s as Pillow does', name => {
    const image = decodePng(golden(`${name}.png`));
    const { width, height, rgb } = expected[name] ?? { width: 0, height: 0, rgb: '' };
    expect([image.width, image.height, image.channels]).toEqual([width, height, 3]);
    expect(Buffer.from(image.data).toString('base64')).toBe(rgb);
  });

  it('gives plain data in memory of its own', () => {
    for (const name of ['rgb8', 'rgba8', 'palette4']) {
      const { data } = decodePng(golden(`${name}.png`));
      expect(Object.getPrototypeOf(data)).toBe(Uint8Array.prototype);
      expect(data.buffer.byteLength).toBe(13 * 11 * 3);
    }
  });

  it('reads from the middle of a larger buffer and from shared memory', () => {
    const bytes = golden('palette8-transparent.png');
    const shared = new Uint8Array(new SharedArrayBuffer(bytes.length + 20)).subarray(7, 7 + bytes.length);
    shared.set(bytes);
    expect(decodePng(shared)).toEqual(decodePng(bytes));
  });

  it('refuses small interlaced samples rather than reading them wrong', () => {
    expect(() => decodePng(golden(`${UNSUPPORTED}.png`))).toThrow(badRecord);
  });

  it('calls a file cut anywhere a bad record', () => {
    for (const name of ['rgb8', 'palette2-transparent', 'rgba16-interlaced']) {
      const bytes = golden(`${name}.png`);
      for (let length = 0; length < bytes.length; length++) {
        expect(() => decodePng(bytes.subarray(0, length)), `${name} cut at ${length}`).toThrow(badRecord);
      }
    }
  });

  it('calls a file with any byte changed a bad record', () => {
    const bytes = golden('rgb8-filters.png');
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const damaged = Uint8Array.from(bytes);
        damaged[at] = (damaged[at] ?? 0) ^ change;
        expect(() => decodePng(damaged)).toThrow(badRecord);
      }),
    );
  });

  it('throws nothing but bad records on noise behind a good start', () => {
    const start = golden('rgb8.png').subarray(0, 33);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), noise => {
        expect(() => decodePng(Buffer.concat([start, noise]))).toThrow(VenturiError);
      }),
    );
  });

  const whole = { width: 4, height: 2, depth: 8, colour: 0 };
  it('reads the file that the next ones are forged from', () => {
    expect(decodePng(file(whole, Buffer.from([0, 1, 2, 3, 4, 0, 5, 6, 7, 8]))).data.slice(-3)).toEqual(
      Uint8Array.of(8, 8, 8),
    );
  });

  it.each<[string, Buffer, RegExp]>([
    ['no pixels', file({ ...whole, width: 0 }, Buffer.alloc(10)), /size is 0 x 2/],
    ['a giant size', file({ ...whole, width: 2 ** 31 - 1, height: 2 ** 31 - 1 }, Buffer.alloc(10)), /its size is/],
    [
      'a size its bytes cannot hold',
      file({ ...whole, width: 26_000, height: 26_000 }, Buffer.alloc(10)),
      /cannot hold/,
    ],
    ['an unknown kind of colour', file({ ...whole, colour: 5 }, Buffer.alloc(10)), /kind 5 with 8 bits/],
    ['RGB of four bits', file({ ...whole, depth: 4, colour: 2 }, Buffer.alloc(14)), /kind 2 with 4 bits/],
    ['rows that are not there', file({ ...whole, height: 3 }, Buffer.alloc(10)), /filter/],
    ['no palette', file({ ...whole, colour: 3 }, Buffer.alloc(10)), /colour 0 of a palette of 0/],
    [
      'a colour beyond its palette',
      file({ ...whole, colour: 3 }, Buffer.alloc(10, 0).fill(2, 9), chunk('PLTE', Buffer.alloc(6))),
      /colour 2 of a palette of 2/,
    ],
    ['two headers', file(whole, Buffer.alloc(10), header({ ...whole, height: 1 })), /two headers/],
    ['text', Buffer.from('this is no picture at all, only words'), /does not start as a PNG/],
  ])('calls %s a bad record', (_, bytes, message) => {
    expect(() => decodePng(bytes)).toThrow(badRecord);
    expect(() => decodePng(bytes)).toThrow(message);
  });
});
