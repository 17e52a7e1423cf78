import type { Interval } from '../../math/statistics.ts';
import type { LoaderSettings } from '../../model/loader-facts.ts';
import type { LoaderChanges } from '../../model/loader-finding.ts';
import type { Warning } from '../../model/warnings.ts';
import type { LoaderForecast } from '../../prediction/loader/forecast.ts';
import type { LoaderEdit } from './loader-edit.ts';
import type { Unchanged } from './tuning.ts';

/** Elements per second of several recordings: their geometric mean, the least and the most. */
export interface MeasuredRate {
  readonly estimate: number;
  readonly low: number;
  readonly high: number;
  /** What `low` and `high` are taken from: recordings, or parts of the only one. */
  readonly of: 'recordings' | 'parts';
}

/** A setting that was tried, and how its forecast compares with what was measured. */
export interface LoaderTrial {
  /** What differs from the program as it is. */
  readonly changes: LoaderChanges;
  /** What the program really had; differs from `changes` where a change was not safe. */
  readonly applied: LoaderSettings | undefined;
  /** From the recording before this trial. */
  readonly predicted: LoaderForecast;
  readonly measured: MeasuredRate;
  /** Predicted over measured: at the mean, and at the ends of what was measured. */
  readonly ratio: { readonly estimate: number; readonly low: number; readonly high: number };
  /** Measured over what it was before any change, from runs of both in turn. */
  readonly gain: Interval;
}

export interface TuneProgramResult {
  readonly schemaVersion: 1;
  readonly command: readonly string[];
  readonly loader: string;
  readonly location: string | undefined;
  readonly settings: LoaderSettings | undefined;
  readonly before: MeasuredRate;
  /** What the model makes of the program as it is. */
  readonly now: LoaderForecast;
  /** In the order in which they were tried; none where nothing promised to be worth it. */
  readonly trials: readonly LoaderTrial[];
  /** The fastest of them; undefined where none was faster than the program as it is by more than runs differ. */
  readonly best: LoaderTrial | undefined;
  /** Why it is left as it is; undefined where a setting is better. */
  readonly unchanged: Unchanged | undefined;
  readonly coresUsable: number;
  /** Cores that other programs used meanwhile, as counted. */
  readonly othersBusy: number;
  /** The edit that makes the best lasting. */
  readonly edit: LoaderEdit | undefined;
  readonly recordings: readonly string[];
  readonly warnings: readonly Warning[];
}
