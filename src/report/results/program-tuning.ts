import type { Interval } from '../../math/statistics.ts';
import type { LoaderChanges } from '../../model/loader-changes.ts';
import type { LoaderSettings } from '../../model/loader-facts.ts';
import type { Plan } from '../../model/plan.ts';
import type { Warning } from '../../model/warnings.ts';
import type { LoaderForecast } from '../../prediction/loader/forecast.ts';
import type { LoaderEdit } from './loader-edit.ts';
import type { TuneResult } from './tuning.ts';

/** Elements per second of several recordings: geometric mean, minimum and maximum. */
export interface MeasuredRate {
  readonly estimate: number;
  readonly low: number;
  readonly high: number;
  /** Origin of `low` and `high`: several recordings, or parts of the only one. */
  readonly of: 'recordings' | 'parts';
}

/** A setting that was tried: its forecast and its measurement. */
export interface LoaderTrial {
  /** Differences from the program as it is. */
  readonly changes: LoaderChanges;
  /** Settings that the program really ran with; they differ from `changes` where a change was not safe. */
  readonly applied: LoaderSettings | undefined;
  /** From the recording before this trial. */
  readonly predicted: LoaderForecast;
  readonly measured: MeasuredRate;
  /** Predicted / measured: at the mean, and at the ends of the measured range. */
  readonly ratio: { readonly estimate: number; readonly low: number; readonly high: number };
  /** Measured rate / rate before any change, from alternating runs of both. */
  readonly gain: Interval;
}

/** Arguments of a DataLoader that are to be different. */
export interface LoaderPlan extends Plan {
  readonly target: 'pytorch';
  readonly loader: { readonly name: string; readonly location: string | undefined };
  readonly changes: readonly {
    readonly action: {
      readonly kind: 'argument';
      /** The loader. */
      readonly operator: string;
      readonly argument: string;
      readonly to: number | boolean;
    };
  }[];
}

export interface TuneProgramResult extends TuneResult {
  readonly plan: LoaderPlan;
  readonly command: readonly string[];
  readonly loader: string;
  readonly location: string | undefined;
  readonly settings: LoaderSettings | undefined;
  readonly before: MeasuredRate;
  /** Forecast for the program as it is. */
  readonly now: LoaderForecast;
  /** In the order in which they were tried; none where nothing promised to be worth it. */
  readonly trials: readonly LoaderTrial[];
  /** The fastest of them; undefined where none was faster beyond the variation between runs. */
  readonly best: LoaderTrial | undefined;
  /** Cores that other programs used meanwhile, as counted. */
  readonly othersBusy: number;
  /** The edit that makes the best lasting. */
  readonly edit: LoaderEdit | undefined;
  readonly recordings: readonly string[];
  readonly warnings: readonly Warning[];
}
