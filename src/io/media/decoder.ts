import { extname } from 'node:path';
import { VenturiError } from '../../model/errors.ts';
import { fileOf } from '../storage/file-bytes.ts';
import { decodeNamed } from './broken-file.ts';
import type { Image } from './image.ts';
import { decodeJpeg } from './jpeg.ts';
import { decodePng } from './png.ts';

/** Turns the bytes of one format into what they stand for. */
export interface Decoder<T> {
  readonly kind: string;
  /** The first bytes of every file of the format, or a look at them. */
  readonly magic?: readonly number[] | ((bytes: Uint8Array) => boolean);
  /** Endings of its files, for formats that no bytes give away: `['.csv']`. */
  readonly extensions?: readonly string[];
  readonly decode: (bytes: Uint8Array) => T;
}

/** Bytes to be decoded, by themselves or with the name they had. */
export type Encoded = Uint8Array | { readonly bytes: Uint8Array; readonly path?: string; readonly url?: string };

/** What a decoder gives. */
export type Decoded<D> = D extends Decoder<infer T> ? Awaited<T> : never;

/** The images that need nothing else. */
export const images: readonly Decoder<Image>[] = [
  { kind: 'jpeg', magic: [0xff, 0xd8, 0xff], extensions: ['.jpg', '.jpeg'], decode: decodeJpeg },
  { kind: 'png', magic: [0x89, 0x50, 0x4e, 0x47], extensions: ['.png'], decode: decodePng },
];

/** Decodes by the first decoder that knows the bytes; where none does, by the first that knows the name. */
export function decodeWith<T>(decoders: readonly Decoder<T>[], encoded: Encoded): T {
  const bytes = encoded instanceof Uint8Array ? encoded : encoded.bytes;
  const name = encoded instanceof Uint8Array ? fileOf(encoded) : (encoded.path ?? encoded.url ?? fileOf(bytes));
  const ending = extname(name?.replace(/[?#].*$/s, '') ?? '').toLowerCase();
  const decoder =
    decoders.find(({ magic }) => magic !== undefined && startsWith(bytes, magic)) ??
    decoders.find(({ extensions = [] }) => ending !== '' && extensions.includes(ending));
  if (decoder !== undefined) return decodeNamed(decoder.decode, bytes, name);
  const start = Buffer.from(bytes.subarray(0, 8))
    .toString('hex')
    .replaceAll(/..(?=.)/g, '$& ');
  throw new VenturiError(
    'VENTURI_BAD_RECORD',
    `no decoder knows ${name === undefined ? 'what' : `${name}, which`} begins with ${start === '' ? 'nothing' : start}`,
    { remedy: `it was offered to ${decoders.map(({ kind }) => kind).join(', ')}; give decode() one that does` },
  );
}

const startsWith = (bytes: Uint8Array, magic: NonNullable<Decoder<unknown>['magic']>): boolean =>
  typeof magic === 'function' ? magic(bytes) : magic.every((byte, at) => bytes[at] === byte);
