import type { Charset } from './charset.ts';
import type { Tone } from './tree.ts';

/** Width, signs and colours that every part of the text renderer draws with. */
export interface Canvas {
  readonly width: number;
  readonly signs: Charset;
  /** A text from elsewhere without control characters, in the charset of the terminal. */
  clean(text: string): string;
  colour(tone: Tone | undefined, text: string): string;
}
