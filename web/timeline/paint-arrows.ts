import type { DrawnArrow } from './arrows.ts';

/** Length of a head's sides, px. */
const HEAD = 6;
const HALF_ANGLE = 0.4;

/** Lines with heads; chosen ones stand out. */
export function paintArrows(
  context: CanvasRenderingContext2D,
  arrows: readonly DrawnArrow[],
  colours: { readonly plain: string; readonly chosen: string },
): void {
  for (const isChosen of [false, true]) {
    context.beginPath();
    for (const { fromX, fromY, toX, toY } of arrows.filter(arrow => arrow.isChosen === isChosen)) {
      const angle = Math.atan2(toY - fromY, toX - fromX);
      context.moveTo(fromX, fromY);
      context.lineTo(toX, toY);
      for (const side of [-HALF_ANGLE, HALF_ANGLE]) {
        context.moveTo(toX, toY);
        context.lineTo(toX - HEAD * Math.cos(angle + side), toY - HEAD * Math.sin(angle + side));
      }
    }
    context.strokeStyle = isChosen ? colours.chosen : colours.plain;
    context.lineWidth = isChosen ? 2 : 1;
    context.globalAlpha = isChosen ? 1 : 0.55;
    context.stroke();
  }
  context.globalAlpha = 1;
}
