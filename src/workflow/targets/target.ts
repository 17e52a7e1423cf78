import type { DiskCurve } from '../../model/disk.ts';
import type { RunManifest } from '../../model/run.ts';
import type { Bytes, BytesPerSecond, Cores, Ns } from '../../model/units.ts';
import type { Diagnosis } from '../../report/results/diagnosis.ts';
import type { FleetRow } from '../../report/results/fleet.ts';
import type { Answer } from '../answer.ts';
import type { Inspector } from '../inspect.ts';

/** What all targets can be asked for when a run is judged; a target leaves out what means nothing to it. */
export interface JudgeOptions {
  /** What storage can deliver, where that is known. */
  readonly disk?: DiskCurve | undefined;
  /** The one operator whose elements are counted; else all that come to an end. */
  readonly root?: string | undefined;
  /** Passes that the program makes, where that is not as recorded. */
  readonly epochs?: number | undefined;
  /** Leaves samples alone, where many runs are judged side by side. */
  readonly withoutSamples?: boolean | undefined;
}

/** Resources and settings to forecast for; what is not given is as recorded. */
export interface ForecastRequest {
  readonly cores?: Cores | undefined;
  readonly memory?: Bytes | undefined;
  readonly disk?: DiskCurve | undefined;
  readonly network?: BytesPerSecond | undefined;
  readonly step?: Ns | undefined;
  readonly root?: string | undefined;
  readonly workers?: readonly number[] | undefined;
  readonly prefetch?: number | undefined;
  readonly batchSize?: number | undefined;
  readonly epochs?: number | undefined;
  readonly loader?: string | undefined;
}

export interface Judgement extends Answer<Diagnosis> {
  /** The run among others, in a table of many. */
  row(): FleetRow;
}

/** A kind of program that is recorded. The verbs know its runs by their probe, and ask it; nothing else knows of it. */
export interface Target {
  readonly id: string;
  recognises(manifest: RunManifest): boolean;
  /** The name of a diagnosis in the JSON of a folder of runs. */
  readonly inFolder: 'diagnosis' | 'program';
  /** What is read of a run beside operators, lanes and channels. */
  inspector(): Inspector;
  /** What limits a run, and what to do about it. */
  judge(path: string, options: JudgeOptions): Promise<Judgement>;
  /** What a run would come to, set otherwise or elsewhere. */
  forecast(path: string, request: ForecastRequest): Promise<Answer>;
  /** Runs against the first of them. */
  compare(paths: readonly string[], options: Pick<JudgeOptions, 'root'>): Promise<Answer>;
}
