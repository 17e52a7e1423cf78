import { textWidth, truncate } from '../../src/report/width.ts';

/** Cells of the longest text that is measured: no box has room for more. */
const MOST_CELLS = 60;

/** Width of a text in px. Fonts differ from system to system, so the number of characters tells too little. */
export type Measure = (text: string, font: string) => number;

/** A text cut to at most `width` px, with an ellipsis where anything was cut. */
export function fitted(text: string, width: number, font: string, measure: Measure): string {
  let shown = truncate(text, MOST_CELLS);
  for (let cells = textWidth(shown) - 1; cells > 0 && measure(shown, font) > width; cells--) {
    shown = truncate(text, cells);
  }
  return shown;
}
