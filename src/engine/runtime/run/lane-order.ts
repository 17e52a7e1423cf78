import type { ExecutionPlan } from '../../compile/stages.ts';
import type { CachePlan } from '../cache/cache-plan.ts';
import type { Losses } from '../calls/losses.ts';
import type { JournalParts } from '../checkpoint/stage-journal.ts';
import type { InnerParts } from '../interleave/inner.ts';
import type { StageOptions } from '../stage/stage-runner.ts';
import type { RunSettings } from './base-run.ts';

/** What a lane is to run: its stage of the plan, and what the run gives it for that. */
export interface LaneOrder extends Pick<StageOptions, 'clock' | 'stop' | 'totals' | 'mark' | 'memory' | 'probe'> {
  readonly plan: ExecutionPlan;
  readonly stage: number;
  /** Which of the stage's lanes, and how many there are. */
  readonly lane: number;
  readonly lanes: number;
  readonly settings: Pick<RunSettings, 'seed' | 'memory' | 'chunkElements' | 'deadLetter' | 'trial'>;
  /** Elements read from a source at a time, at most, where the settings do not fix them. */
  readonly mostAtOnce?: number | undefined;
  readonly caches: CachePlan['disks'];
  /** Where the run can be resumed, or was. */
  readonly journal: JournalParts | undefined;
  /** Of the operator that opened the pipeline, where one did: it tells what its sources gave up. */
  readonly losses?: Losses | undefined;
  /** Runs a pipeline inside the lane, for an operator that opens some. */
  readonly inner: InnerParts['inner'];
}
