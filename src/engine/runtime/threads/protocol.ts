import type { PortableError } from '../../../errors/portable-error.ts';
import type { CachePlan } from '../cache/cache-plan.ts';
import type { JournalEntry } from '../checkpoint/journal-entry.ts';
import type { JournalParts } from '../checkpoint/stage-journal.ts';
import type { RingMemory } from '../ring/index.ts';
import type { RunSettings } from '../run/base-run.ts';

/** Everything a worker needs to become one lane of one stage. Crosses by structured clone. */
export interface ThreadOrder extends Omit<RunSettings, 'signal' | 'resume' | 'everyMs'> {
  readonly module: string;
  readonly path: string;
  readonly sourceMaps: boolean;
  /** What the main thread built. Its functions' text counts only where it imported the very same file. */
  readonly fingerprint: string;
  readonly structure: string;
  readonly sameText: boolean;
  /** Which stage of the plan, and which lane of it. */
  readonly stage: number;
  readonly lane: number;
  /** Threads that had this place before, and died. */
  readonly deaths: number;
  readonly caches: CachePlan['disks'];
  readonly journal: Omit<JournalParts, 'post'> | undefined;
  readonly rings: readonly RingMemory[];
  readonly totals: SharedArrayBuffer;
  /** Where the lane says whether it works or waits, where someone has to know. */
  readonly activity: SharedArrayBuffer | undefined;
  /** Where the lane says what it is at. */
  readonly mark: SharedArrayBuffer;
  /** One word: not zero when lanes are to end, and why. */
  readonly stop: SharedArrayBuffer;
  /** One word: how many lanes have ended. */
  readonly gone: SharedArrayBuffer;
  /** The run's start on `process.hrtime.bigint()`. */
  readonly start: bigint;
}

/** Why lanes are to end: someone has enough, or something failed; or all elements have come. */
export const STOPPED = 1;
export const COMPLETED = 2;

/** The one message to a lane: the stop word is set. */
export const HALT = 'halt';

export type LaneMessage =
  | { readonly type: 'journal'; readonly entry: JournalEntry }
  /** An error that nobody caught: the lane goes on until it is told to end. */
  | { readonly type: 'stray'; readonly error: PortableError }
  /** After the lane is done. */
  | { readonly type: 'warning'; readonly warning: string }
  | { readonly type: 'done'; readonly warnings: readonly string[] }
  | { readonly type: 'failed'; readonly error: PortableError };
