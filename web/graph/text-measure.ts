import type { Measure } from './fitted.ts';

let context: CanvasRenderingContext2D | null | undefined;

/** By the fonts of this browser. */
export const measured: Measure = (text, font) => {
  context ??= document.createElement('canvas').getContext('2d');
  if (context === null) return 0;
  context.font = font;
  return context.measureText(text).width;
};
