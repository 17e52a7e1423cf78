import { type HuffmanCodes, TYPICAL_CODES } from './jpeg-huffman.ts';
import {
  BadJpeg,
  type JpegComponent,
  type JpegFrame,
  type JpegScan,
  readCodes,
  readFrame,
  readQuantizers,
  readScan,
  Segments,
  startsWith,
} from './jpeg-segments.ts';

const SOF0 = 0xc0;
const SOF1 = 0xc1;
const SOF2 = 0xc2;
const DHT = 0xc4;
const DAC = 0xcc;
const SOI = 0xd8;
const EOI = 0xd9;
const SOS = 0xda;
const DQT = 0xdb;
const DRI = 0xdd;
const APP0 = 0xe0;
const APP14 = 0xee;

/** What the components are. The numbers are those of jpeg.assembly.ts. */
export const COLOURS = { grey: 0, rgb: 1, ycc: 2, cmyk: 3, ycck: 4 } as const;
export type Colours = (typeof COLOURS)[keyof typeof COLOURS];

/** Units hold at most this many blocks (ITU-T T.81, B.2.3). */
const MOST_BLOCKS = 10;

/** Goes through a file from scan to scan and knows what holds for each: its frame, its tables, its colours. */
export class JpegFile {
  readonly #segments: Segments;
  readonly quantizers = new Map<number, readonly number[]>();
  readonly codes = new Map<number, HuffmanCodes>([
    [0, TYPICAL_CODES.lumaDc],
    [1, TYPICAL_CODES.chromaDc],
    [0x10, TYPICAL_CODES.lumaAc],
    [0x11, TYPICAL_CODES.chromaAc],
  ]);
  #frame: JpegFrame | undefined;
  /** Units between two restarts of the decoder; 0: none. */
  restartInterval = 0;
  #isJfif = false;
  #adobeTransform: number | undefined;
  /** Whether the file says that it ends here. */
  isEnded = false;

  constructor(bytes: Uint8Array) {
    this.#segments = new Segments(bytes);
  }

  /** Goes up to the frame header, if it is there. */
  get frame(): JpegFrame {
    while (this.#frame === undefined) {
      const marker = this.#step();
      if (marker === undefined) throw new BadJpeg('it ends before its frame header');
      if (marker === SOS) throw new BadJpeg('its scan comes before its frame header');
    }
    return this.#frame;
  }

  /** Goes to the next scan; undefined: there is none. */
  nextScan(): JpegScan | undefined {
    for (;;) {
      const marker = this.#step();
      if (marker === undefined) return undefined;
      if (marker === SOS) return checkedScan(readScan(this.#segments), this.frame);
    }
  }

  /** Where the bytes of the scan begin. */
  get scanStart(): number {
    return this.#segments.end;
  }

  /** Says where the marker behind the scan is. */
  set scanEnd(offset: number) {
    this.#segments.goTo(offset);
  }

  /** Takes in the next segment; undefined: the file has ended. */
  #step(): number | undefined {
    const marker = this.#segments.next();
    if (marker === undefined || marker === EOI) {
      this.isEnded = marker === EOI;
      return undefined;
    }
    if (marker === DQT) readQuantizers(this.#segments, this.quantizers);
    else if (marker === DHT) readCodes(this.#segments, this.codes);
    else if (marker === DRI) this.restartInterval = this.#segments.pair();
    else if (marker === APP0) this.#isJfif ||= startsWith(this.#segments, 'JFIF\0') && this.#segments.left >= 9;
    else if (marker === APP14) this.#readAdobe();
    else if (marker === SOF0 || marker === SOF1 || marker === SOF2) this.#readFrame(marker === SOF2);
    else if (marker >= SOF0 && marker <= 0xcf) throw new BadJpeg(`it is ${OTHER_KINDS[marker] ?? 'of no known kind'}`);
    else if (marker === SOI) throw new BadJpeg('a second image begins in it before the first ends');
    return marker;
  }

  #readFrame(isProgressive: boolean): void {
    if (this.#frame !== undefined) throw new BadJpeg('it has two frame headers');
    this.#frame = checkedFrame(readFrame(this.#segments, isProgressive));
  }

  /** Adobe's segment says which colours the components are. */
  #readAdobe(): void {
    if (!startsWith(this.#segments, 'Adobe') || this.#segments.left < 7) return;
    this.#segments.take(6);
    this.#adobeTransform = this.#segments.byte();
  }

  /** By the rules of libjpeg. */
  get colours(): Colours {
    const { components } = this.frame;
    if (components.length === 1) return COLOURS.grey;
    if (components.length === 4) {
      return (this.#adobeTransform ?? 0) === 0 ? COLOURS.cmyk : COLOURS.ycck;
    }
    if (this.#isJfif) return COLOURS.ycc;
    const isRgb =
      this.#adobeTransform === undefined
        ? String.fromCharCode(...components.map(({ id }) => id)) === 'RGB'
        : this.#adobeTransform === 0;
    return isRgb ? COLOURS.rgb : COLOURS.ycc;
  }
}

const OTHER_KINDS: Readonly<Record<number, string>> = {
  195: 'lossless',
  197: 'hierarchical',
  198: 'hierarchical',
  199: 'hierarchical',
  201: 'arithmetically coded',
  202: 'arithmetically coded',
  203: 'lossless',
  [DAC]: 'arithmetically coded',
  205: 'hierarchical',
  206: 'hierarchical',
  207: 'hierarchical',
};

function checkedFrame(frame: JpegFrame): JpegFrame {
  const { components } = frame;
  if (![1, 3, 4].includes(components.length))
    throw new BadJpeg(`it has ${components.length} components, not 1, 3 or 4`);
  if (components.some(({ horizontal: h, vertical: v }) => h < 1 || h > 4 || v < 1 || v > 4)) {
    throw new BadJpeg('a component has no samples or too many');
  }
  const { across, down } = mostBlocks(frame);
  // libjpeg refuses what is no whole multiple, too.
  const odd = components.some(({ horizontal, vertical }) => across % horizontal !== 0 || down % vertical !== 0);
  const sampling = components.map(({ horizontal, vertical }) => `${horizontal}x${vertical}`).join(' ');
  if (odd) throw new BadJpeg(`its components are sampled ${sampling}, which are no multiples of each other`);
  return frame;
}

/** Blocks in a unit of the component that has most, across and down. */
export function mostBlocks({ components }: JpegFrame): { across: number; down: number } {
  return {
    across: Math.max(...components.map(({ horizontal }) => horizontal)),
    down: Math.max(...components.map(({ vertical }) => vertical)),
  };
}

function checkedScan(scan: JpegScan, frame: JpegFrame): JpegScan {
  const ids = scan.components.map(({ id }) => id);
  const found = ids.map(id => frame.components.find(component => component.id === id));
  if (found.length === 0 || found.includes(undefined) || new Set(ids).size < ids.length) {
    throw new BadJpeg('a scan has components that its frame header does not name, or twice');
  }
  const blocks = (found as JpegComponent[]).reduce((sum, { horizontal, vertical }) => sum + horizontal * vertical, 0);
  if (found.length > 1 && blocks > MOST_BLOCKS) throw new BadJpeg(`a unit of a scan has ${blocks} blocks`);
  if (frame.isProgressive && !isProgressive(scan)) throw new BadJpeg('a scan is no step of a progressive file');
  return scan;
}

/** Means and other coefficients come in scans of their own, bit after bit (ITU-T T.81, G.1.1.1). */
function isProgressive({ components, start, end, highBit, lowBit }: JpegScan): boolean {
  const isBand = start === 0 ? end === 0 : components.length === 1 && end >= start && end < 64;
  return isBand && lowBit < 14 && (highBit === 0 || highBit === lowBit + 1);
}
