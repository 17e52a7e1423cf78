import type { Operator } from '../../../../model/graph.ts';
import type { RuleName } from '../../../../tuning/rules/rule.ts';
import type { LiveProgress } from '../../../progress.ts';

export interface TuneOptions {
  /** Parameters of the pipeline. */
  readonly params?: Readonly<Record<string, unknown>>;
  /** How often the pipeline will be run through: a cache is worth it from the second time on. */
  readonly epochs?: number | undefined;
  /** Plans that are tried, one after the other. */
  readonly rounds?: number | undefined;
  /** Seconds of each recording. */
  readonly seconds?: number | undefined;
  /** A recording ends when successive rates differ by less than 1 %. */
  readonly untilStable?: boolean | undefined;
  /** Bytes for caches and buffers; half of what the process may use, unless given. */
  readonly memory?: number | undefined;
  /** Elements per second that are enough: the fewest threads that reach it. */
  readonly target?: number | undefined;
  /** Where caches that do not fit into memory may go. */
  readonly cacheFolder?: string | undefined;
  /** Operators to be left as they are, by id or label. */
  readonly keep?: readonly string[] | undefined;
  /** Rules to be left out. */
  readonly without?: readonly RuleName[] | undefined;
  /** Folder that keeps the recordings; they are thrown away unless given. */
  readonly record?: string | undefined;
  readonly seed?: number | undefined;
  /** The one operator whose elements are counted; else all that come to an end. */
  readonly root?: string | undefined;
  /**
   * Whether trials may have the effects of sinks that are not known to be harmless, such as `forEach`. Absent: `onSideEffects` is asked, and
   * where nobody answers it fails with VENTURI_SIDE_EFFECTS. Files that our own sinks write are thrown away in any case.
   */
  readonly sideEffects?: 'allow' | 'refuse' | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Asked once, before anything runs. */
  onSideEffects?(operators: readonly Operator[]): boolean | Promise<boolean>;
  onStep?(line: string): void;
  onProgress?(progress: LiveProgress): void;
}
