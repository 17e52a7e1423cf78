import zlib, { constants } from 'node:zlib';
import { VenturiError } from '../../model/errors.ts';
import { type ZlibStream, ZlibStreams } from './zlib-streams.ts';

/** How a file is compressed. */
export interface Compression {
  readonly name: 'gzip' | 'zstd';
  /** Those of this thread. `path` is for an error that says which file it was. */
  streams(path: string): ZlibStreams;
  readonly onTheWay: number;
  readonly atEnd: number;
}

/** Those of this thread. */
export const gunzips = new ZlibStreams(() => zlib.createGunzip() as unknown as ZlibStream);

export const gzip: Compression = {
  name: 'gzip',
  streams: () => gunzips,
  onTheWay: constants.Z_NO_FLUSH,
  atEnd: constants.Z_FINISH,
};

/** Since Node 22.15 and 23.8; the types are those of Node 20. */
const zstdOfNode = zlib as unknown as {
  readonly createZstdDecompress?: () => ZlibStream;
  readonly constants: { readonly ZSTD_e_continue: number; readonly ZSTD_e_end: number };
};

const { createZstdDecompress } = zstdOfNode;
const unzstds = createZstdDecompress && new ZlibStreams(createZstdDecompress);

export const zstd: Compression = {
  name: 'zstd',
  streams(path) {
    if (unzstds !== undefined) return unzstds;
    throw new VenturiError(
      'VENTURI_CODEC_MISSING',
      `${path} is compressed with zstd, which Node ${process.versions.node} cannot read`,
      { remedy: 'use Node 22.15 or newer, or decompress it with zstd -d' },
    );
  },
  onTheWay: zstdOfNode.constants.ZSTD_e_continue,
  atEnd: zstdOfNode.constants.ZSTD_e_end,
};

/** Tells by a file's first bytes how it is compressed; undefined where it is not. */
export type Recognise = (path: string, head: Uint8Array) => Compression | undefined;

const GZIP = [0x1f, 0x8b] as const;
const ZSTD = [0x28, 0xb5, 0x2f, 0xfd] as const;
/** The frame of other data with which pzstd begins; the low half of its first byte may be anything. */
const SKIPPED = [0x50, 0x2a, 0x4d, 0x18] as const;

const startsAsGzip = (head: Uint8Array): boolean => head[0] === GZIP[0] && head[1] === GZIP[1];

const startsAsZstd = (head: Uint8Array): boolean =>
  ZSTD.every((byte, at) => head[at] === byte) ||
  SKIPPED.every((byte, at) => (at === 0 ? (head[0] ?? 0) & 0xf0 : head[at]) === byte);

/** Beginnings of files that would be read as garbage: no text in UTF-8 and no archive that we read begins so. */
const REFUSED: readonly { readonly what: string; readonly remedy: string; readonly begins: readonly number[] }[] = [
  { what: 'a zip archive', remedy: 'unpack it with unzip', begins: [0x50, 0x4b, 0x03, 0x04] },
  { what: 'compressed with xz', remedy: 'decompress it with xz -d', begins: [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00] },
  // After the letters BZh and a digit.
  ...[...'123456789'].map(level => ({
    what: 'compressed with bzip2',
    remedy: 'decompress it with bzip2 -d',
    begins: [0x42, 0x5a, 0x68, level.charCodeAt(0), 0x31, 0x41, 0x59, 0x26, 0x53, 0x59],
  })),
  { what: 'text in UTF-16', remedy: 'convert it: iconv -f UTF-16 -t UTF-8', begins: [0xff, 0xfe] },
  { what: 'text in UTF-16', remedy: 'convert it: iconv -f UTF-16 -t UTF-8', begins: [0xfe, 0xff] },
];

function refuse(path: string, head: Uint8Array): void {
  const found = REFUSED.find(({ begins }) => begins.every((byte, at) => head[at] === byte));
  if (found === undefined) return;
  throw new VenturiError('VENTURI_CODEC_MISSING', `${path} is ${found.what}, which is not read`, {
    remedy: found.remedy,
  });
}

/** By content: a name says nothing, but for a single byte, which might be the beginning of anything. */
export const recognised: Recognise = (path, head) => {
  refuse(path, head);
  if (startsAsGzip(head)) return gzip;
  if (startsAsZstd(head)) return zstd;
  return head.length === 1 && head[0] === GZIP[0] && /\.t?gz$/i.test(path) ? gzip : undefined;
};

/** Whether a file is likely to be compressed, of which nothing is known but its name. */
export const isNamedCompressed = (path: string): boolean => /\.(t?gz|zst)$/i.test(path);
