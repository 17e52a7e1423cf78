import type { Interval } from '../../math/statistics.ts';
import type { Bytes, Ns, Share } from '../../model/units.ts';
import type { LoaderForecast } from '../../prediction/loader/forecast.ts';
import type { RunForecast } from './prediction.ts';

/** What steps would take with other numbers of workers that prepare their input: from a trace without workers, or a trace and a recording. */
export interface InputPrediction extends RunForecast {
  readonly whatIf: { readonly workers: readonly number[]; readonly cores: number | undefined };
  /** Steps, their workers, mean time of a step and of preparing its batch; of the recording where there is one. */
  readonly recorded: { readonly steps: number; readonly workers: number; readonly step: Ns; readonly input: Ns };
  readonly joined: JoinedRecording | undefined;
  readonly forecasts: readonly InputForecast[];
}

/** A recording of the same job that a trace was joined with. */
export interface JoinedRecording {
  readonly name: string;
  readonly folder: string;
  readonly loader: string;
  /** Mean time that a device works on a step, from the trace; undefined where the recording has it itself. */
  readonly device: Ns | undefined;
  /** Of a recorded batch, and what the trace copies to the device in a step; NaN where unknown. */
  readonly batchBytes: Bytes;
  readonly copiedBytes: Bytes;
}

export interface InputForecast {
  readonly workers: number;
  /** Mean time of a step, ns; its estimate is NaN where the band says too little. */
  readonly step: Interval;
  /** Part of a step in which it waits for its batch. */
  readonly waitShare: Share;
  readonly bound: LoaderForecast['bound'];
}
