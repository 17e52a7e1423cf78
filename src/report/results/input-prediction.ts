import type { Interval } from '../../math/statistics.ts';
import type { Ns, Share } from '../../model/units.ts';
import type { LoaderForecast } from '../../prediction/loader/forecast.ts';
import type { RunForecast } from './prediction.ts';

/** What steps would take with other numbers of workers that prepare their input, from a trace without workers. */
export interface InputPrediction extends RunForecast {
  readonly whatIf: { readonly workers: readonly number[]; readonly cores: number | undefined };
  readonly recorded: { readonly steps: number; readonly step: Ns; readonly input: Ns };
  readonly forecasts: readonly InputForecast[];
}

export interface InputForecast {
  readonly workers: number;
  /** Mean time of a step, ns; its estimate is NaN where the band says too little. */
  readonly step: Interval;
  /** Part of a step in which it waits for its batch. */
  readonly waitShare: Share;
  readonly bound: LoaderForecast['bound'];
}
