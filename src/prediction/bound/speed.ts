import type { Analysis } from '../../analysis/analysis.ts';

/** Time of the yardstick on the machine where all constants of this folder were measured, in a quiet hour, ns. */
const YARDSTICK_NS = 16e3;
/**
 * Share of the engine's own work that scales with the yardstick; the rest waits for memory. The least measured, since it goes
 * into upper bounds: twelve runs each of two examples behind their caches, the yardstick at 1.1 to 2.1 times, give 0.60
 * (`translation`) and 0.93 (`tabular`).
 */
const OF_OURS = 0.6;
/** Share of users' work that scales with it, at the least: beside another thread, decoding photographs took 1.2 to 1.4 times as long, the yardstick twice. */
const OF_ANY = 0.2;

const slownessAt = (yardstick: number, part: number): number => 1 + part * (yardstick / YARDSTICK_NS - 1);

/** Time of the engine's own work in this recording / on the machine of the constants. */
export function slownessOf({ rates: { yardstick } }: Analysis): number {
  return yardstick === undefined ? 1 : slownessAt(yardstick.within, OF_OURS);
}

/**
 * Contention: CPU time per element when one more core is busy / in the recording. Hardware threads share a core, and cores share
 * a machine with its neighbours. Below 1 where the recorded threads had the slower cores.
 */
export function crowdingOf({ rates: { yardstick } }: Analysis): number {
  if (yardstick === undefined || !(yardstick.beside > 0)) return 1;
  return slownessAt(yardstick.beside, OF_ANY) / slownessAt(yardstick.within, OF_ANY);
}

/** Overhead of recording: 1.9 to 2.5 % of the CPU of pipelines of photographs and of text (docs/performance.md). */
const RECORDING = 0.02;

/** CPU time recorded / unrecorded. Only runs of our own engine, which have a yardstick, carry that overhead. */
export const watchedOf = ({ rates: { yardstick } }: Analysis): number => (yardstick === undefined ? 1 : 1 + RECORDING);
