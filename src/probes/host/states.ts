import type { State } from '../../model/state.ts';

/**
 * Divides a lane's wall time into the five states. All in one unit.
 *
 * The kernel's account comes first: wall = cpu + runnable + asleep. The waits were taken with a wall clock around the
 * wait, so they also hold the queueing after the wake-up and a little CPU; they may claim no more than the time asleep,
 * and are shortened alike where they do. Sleep that no wait explains was outside the dataflow: blocked.
 * Clocks of different grain can make cpu + runnable exceed wall; then both are shortened alike. The five always sum to
 * wall. Split totals since the lane's start rather than windows: a wait is counted whole when it ends, and may have
 * begun windows ago.
 */
export function splitStates(
  wall: number,
  cpu: number,
  runnable: number,
  starved: number,
  backpressured: number,
): Record<State, number> {
  const [running, queued] = shorten(cpu, runnable, wall);
  const asleep = Math.max(0, wall - running - queued);
  const [onInput, onOutput] = shorten(starved, backpressured, asleep);
  const blocked = Math.max(0, asleep - onInput - onOutput);
  return { running, runnable: queued, blocked, starved: onInput, backpressured: onOutput };
}

/** Two parts that together may not exceed `whole`, in the same proportion. */
function shorten(a: number, b: number, whole: number): [number, number] {
  if (a + b <= whole) return [a, b];
  const first = Math.min(whole, whole * (a / (a + b)));
  return [first, whole - first];
}
