import { maskedCrc32c } from '../../io/formats/crc32c.ts';
import type { ByteWindow } from '../../io/input/byte-window.ts';
import { gzip, type Recognise, recognised } from '../../io/input/compression.ts';
import type { GiveUp } from '../../io/input/loss.ts';
import { VenturiError } from '../../model/errors.ts';
import { badOption, describe } from '../../model/option.ts';
import type { Pipeline } from '../description/pipeline.ts';
import type { Cut } from './file-parts.ts';
import { fileSource } from './file-source.ts';
import { type FileElements, filesInTurn } from './files-in-turn.ts';
import type { FileSourceOptions } from './loss-policy.ts';

export interface TfrecordOptions extends FileSourceOptions {
  /** 'auto', unless told otherwise: by what each file starts with. */
  readonly compression?: 'gzip' | 'none' | 'auto';
  /** false: the payloads' checksums are not looked at. Those of the lengths always are: they hold the file together. */
  readonly verify?: boolean;
}

/** The payloads of TFRecord files, one file after the other. `decodeExample` reads those that are examples. */
export function tfrecords(paths: string | readonly string[], options: TfrecordOptions = {}): Pipeline<Uint8Array> {
  const { compression = 'auto', verify = true } = options;
  const recognise = COMPRESSIONS[compression];
  if (recognise === undefined) {
    throw badOption(`tfrecords: compression is ${describe(compression)}`, `give 'gzip', 'none' or 'auto'`);
  }
  const begin = (_: unknown, giveUp?: GiveUp) => ({
    open: (window: ByteWindow, from: unknown) =>
      new Tfrecords(window, verify, from as SavedRecords | undefined, giveUp),
  });
  const open = filesInTurn(compression === 'gzip' ? { recognise, begin } : { recognise, begin, cuts });
  return fileSource('tfrecords', paths, options, open, { compression, verify });
}

/** Length, and its checksum. */
const HEADER_BYTES = 12;
const LENGTH_BYTES = 8;
const CHECKSUM_BYTES = 4;

const COMPRESSIONS: Readonly<Record<string, Recognise>> = {
  gzip: () => gzip,
  none: () => undefined,
  // A record of a certain length begins as gzip does, but then its checksum is right.
  auto: (path, head) => (isHeader(head, 0) ? undefined : recognised(path, head)),
};

const isHeader = (bytes: Uint8Array, at: number): boolean =>
  bytes.length >= at + HEADER_BYTES && maskedCrc32c(bytes, at, at + LENGTH_BYTES) === wordAt(bytes, at + LENGTH_BYTES);

interface SavedRecords {
  readonly offset: number;
  readonly number: number;
}

/** From header to header: each says how long its record is. */
function* cuts(window: ByteWindow): Iterable<Cut> {
  for (let number = 0; window.reach(HEADER_BYTES); number++) {
    const { bytes, at, offset } = window;
    yield { offset, position: { offset, number } satisfies SavedRecords };
    if (!isHeader(bytes, at) || !window.skip(HEADER_BYTES + lengthAt(bytes, at) + CHECKSUM_BYTES)) return;
  }
}

class Tfrecords implements FileElements {
  readonly #window: ByteWindow;
  readonly #verify: boolean;
  readonly #giveUp: GiveUp | undefined;
  #number = 0;

  constructor(window: ByteWindow, verify: boolean, from: SavedRecords | undefined, giveUp: GiveUp | undefined) {
    this.#giveUp = giveUp;
    this.#window = window;
    this.#verify = verify;
    if (from === undefined) return;
    this.#number = from.number;
    window.seek(from.offset);
  }

  position(): SavedRecords {
    return { offset: this.#window.offset, number: this.#number };
  }

  read(into: unknown[], limit: number): number {
    for (let read = 0; read < limit; read++) {
      let payload = this.#next();
      // The next record can be found all the same.
      while (payload === 'damaged') payload = this.#next();
      if (payload === undefined) return read;
      into.push(payload);
    }
    return limit;
  }

  #next(): Uint8Array | 'damaged' | undefined {
    const window = this.#window;
    const start = window.offset;
    if (!window.reach(HEADER_BYTES)) {
      if (window.end === window.at) return undefined;
      throw this.#bad(start, 'is cut off');
    }
    const { bytes, at } = window;
    if (!isHeader(bytes, at)) throw this.#bad(start, 'has a length that does not match its checksum');
    const length = lengthAt(bytes, at);
    window.at += HEADER_BYTES;
    const payload = window.take(length);
    if (payload === undefined || !window.reach(CHECKSUM_BYTES)) throw this.#bad(start, 'is cut off');
    const checksum = wordAt(window.bytes, window.at);
    window.at += CHECKSUM_BYTES;
    if (this.#verify && maskedCrc32c(payload) !== checksum) {
      const error = this.#bad(start, 'has a payload that does not match its checksum');
      if (this.#giveUp === undefined) throw error;
      this.#giveUp({ what: 'record', path: window.file.path, error });
      this.#number++;
      return 'damaged';
    }
    this.#number++;
    return payload;
  }

  #bad(offset: number, what: string): VenturiError {
    const { path } = this.#window.file;
    const remedy =
      this.#number === 0 && offset === 0
        ? 'check that it is a TFRecord file, and whether it is compressed otherwise than with gzip'
        : 'fetch or write the file again';
    return new VenturiError('VENTURI_BAD_RECORD', `${path}: record ${this.#number + 1}, at byte ${offset}, ${what}`, {
      remedy,
    });
  }
}

const lengthAt = (bytes: Uint8Array, at: number): number => wordAt(bytes, at) + wordAt(bytes, at + 4) * 2 ** 32;

const wordAt = (bytes: Uint8Array, at: number): number =>
  ((bytes[at] as number) |
    ((bytes[at + 1] as number) << 8) |
    ((bytes[at + 2] as number) << 16) |
    ((bytes[at + 3] as number) << 24)) >>>
  0;
