import { type HeldOutStep, replayHeldOut } from '../../../prediction/replay/replay.ts';
import type { DescribeOptions } from '../target.ts';
import { openSteps } from './read.ts';

/** Steps of one rank of a trace, replayed from durations and dependencies. */
export interface ReplayedRank {
  readonly rank: number;
  readonly steps: readonly HeldOutStep[];
}

/** Replays the steps of a trace, each with what was fitted to others. */
export async function replayTrace(path: string, options: DescribeOptions = {}): Promise<readonly ReplayedRank[]> {
  const { trace } = await openSteps(path, options.stepMarker);
  return trace.ranks.map(({ rank }, at) => ({ rank, steps: replayHeldOut(trace, at) }));
}
