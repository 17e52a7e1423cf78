/** Nanoseconds of a second. */
export const NS = 1e9;

/** The part of a run that a timeline shows, ns. */
export interface Viewport {
  readonly from: number;
  readonly to: number;
}

/** Narrowest view, ns. */
const NARROWEST = 1000;

/** Inside the run, as wide as asked for where that is possible. */
export function clamped({ from, to }: Viewport, durationNs: number): Viewport {
  const whole = Math.max(durationNs, NARROWEST);
  const width = Math.min(whole, Math.max(NARROWEST, to - from));
  const begin = Math.min(Math.max(0, from), whole - width);
  return { from: begin, to: begin + width };
}

/** `factor` below 1 shows more detail; the moment at `anchor` (0 to 1 of the width) stays where it is. */
export function zoomed({ from, to }: Viewport, factor: number, anchor: number, durationNs: number): Viewport {
  const at = from + anchor * (to - from);
  const width = Math.min(Math.max(NARROWEST, (to - from) * factor), Math.max(durationNs, NARROWEST));
  return clamped({ from: at - anchor * width, to: at + (1 - anchor) * width }, durationNs);
}

/**
 * By parts of the width; by whole ones of its pixels, so that what is drawn already can move along: by one at least, and at the ends of the run by as
 * many as there are.
 */
export function panned(view: Viewport, by: number, durationNs: number, pixels: number): Viewport {
  const { from, to } = view;
  if (pixels <= 0 || by === 0) return view;
  const perPixel = (to - from) / pixels;
  const room = Math.max(0, Math.floor((by < 0 ? from : durationNs - to) / perPixel));
  const ns = Math.sign(by) * Math.min(room, Math.max(1, Math.round(Math.abs(by) * pixels))) * perPixel;
  return clamped({ from: from + ns, to: to + ns }, durationNs);
}

/** Round moments for the axis, ns: 1, 2 or 5 times a power of ten apart. */
export function ticks({ from, to }: Viewport, most: number): number[] {
  const least = (to - from) / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(least));
  const step = ([1, 2, 5, 10].find(each => each * power >= least) ?? 10) * power;
  const first = Math.ceil(from / step);
  const last = Math.floor(to / step);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => (first + at) * step);
}
