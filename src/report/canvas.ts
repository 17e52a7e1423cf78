import type { Charset } from './charset.ts';
import type { Tone } from './tree.ts';

/** What every part of the text renderer draws with. */
export interface Canvas {
  readonly width: number;
  readonly signs: Charset;
  /** Makes a foreign text harmless and writable. */
  clean(text: string): string;
  colour(tone: Tone | undefined, text: string): string;
}
