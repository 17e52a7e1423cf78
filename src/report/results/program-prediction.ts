import type { Host } from '../../model/host.ts';
import type { LoaderAssumption, LoaderForecast, LoaderWhatIf } from '../../prediction/loader/forecast.ts';
import type { LoaderSetting } from '../../prediction/loader/setting.ts';
import type { LoaderChoice } from '../../tuning/loader/choose.ts';
import type { RunForecast } from './prediction.ts';

export interface LoaderPrediction {
  readonly loader: string;
  readonly location: string | undefined;
  readonly recorded: LoaderSetting;
  readonly batchSize: number;
  /** Elements per second of the recording, once every worker had delivered. */
  readonly measured: number;
  /** Recorded rate / forecast for the recorded setting: the model's own error. */
  readonly ownError: number;
  /** Cores that other programs used; the forecasts are for the rest. */
  readonly othersBusy: number;
  readonly forecasts: readonly LoaderForecast[];
  readonly choice: LoaderChoice;
  readonly assumptions: readonly LoaderAssumption[];
}

/** Forecasts for the loaders of a recorded program with other settings or on another machine. */
export interface ProgramPrediction extends RunForecast {
  readonly host: Host;
  readonly whatIf: LoaderWhatIf;
  readonly loaders: readonly LoaderPrediction[];
}
