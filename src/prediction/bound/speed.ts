import type { Analysis } from '../../analysis/analysis.ts';

/** What the yardstick takes on the machine, and in the quiet hours, in which all times in this folder were measured, ns. */
const YARDSTICK_NS = 16e3;
/**
 * The part of that work that takes as much longer as the yardstick; the rest waits for memory. The least that was measured, since it goes into
 * bounds: twelve runs each of two examples behind their caches, the yardstick at 1.1 to 2.1 times, give 0.60 (`translation`) and 0.93 (`tabular`).
 */
const OF_OURS = 0.6;
/** And of what pipelines do, at the least: decoding photographs took 1.2 to 1.4 times as long beside another thread, and the yardstick twice. */
const OF_ANY = 0.2;

const slownessAt = (yardstick: number, part: number): number => 1 + part * (yardstick / YARDSTICK_NS - 1);

/** What the threads of a recording take for such work, in parts of what they would on that machine. */
export function slownessOf({ rates: { yardstick } }: Analysis): number {
  return yardstick === undefined ? 1 : slownessAt(yardstick.within, OF_OURS);
}

/**
 * What all threads take when one more is busy than in the recording, in parts of what they took then: two threads of a core share what it has,
 * and so do cores of a machine that others use, too. Less than one where those of the recording had the slower cores.
 */
export function crowdingOf({ rates: { yardstick } }: Analysis): number {
  if (yardstick === undefined || !(yardstick.beside > 0)) return 1;
  return slownessAt(yardstick.beside, OF_ANY) / slownessAt(yardstick.within, OF_ANY);
}

/** What recording adds to what threads take: 1.9 to 2.5 % of the CPU of pipelines of photographs and of text (docs/performance.md). */
const RECORDING = 0.02;

/** What the threads took with all that was recorded of them, in parts of what they take without. Only our recorder has a yardstick. */
export const watchedOf = ({ rates: { yardstick } }: Analysis): number => (yardstick === undefined ? 1 : 1 + RECORDING);
