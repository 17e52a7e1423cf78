import type { DiskCurve } from '../../model/disk.ts';
import type { RunManifest } from '../../model/run.ts';
import type { WhatIf } from '../../prediction/cost/resources.ts';
import type { LoaderWhatIf } from '../../prediction/loader/forecast.ts';
import type { ClusterOptions } from '../../prediction/scaleout/cluster-request.ts';
import type { PerfSettings } from '../../probes/samples/perf-process.ts';
import type { PageSection } from '../../report/page/document.ts';
import type { Comparison } from '../../report/results/comparison.ts';
import type { Diagnosis } from '../../report/results/diagnosis.ts';
import type { FleetRow } from '../../report/results/fleet.ts';
import type { LiveRun } from '../../report/results/live-run.ts';
import type { RunForecast } from '../../report/results/prediction.ts';
import type { RecordResult } from '../../report/results/record-result.ts';
import type { TuneResult } from '../../report/results/tuning.ts';
import type { Fold } from '../../store/fold.ts';
import type { RuleName } from '../../tuning/rules/rule.ts';
import type { Answer } from '../answer.ts';
import type { Attendant, Waiting } from '../attendant.ts';
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
  /** Annotation that marks a training step, where it is not the profiler's own. */
  readonly stepMarker?: string | undefined;
}

/** What can be asked for when a file of another program is described, or runs are compared. */
export type DescribeOptions = Pick<JudgeOptions, 'stepMarker'>;
export type CompareOptions = Pick<JudgeOptions, 'root' | 'stepMarker'>;

/** Resources and settings to forecast for; what is not given is as recorded. */
export interface ForecastRequest extends WhatIf, LoaderWhatIf {
  readonly root?: string | undefined;
  /** The file of a plan. */
  readonly plan?: string | undefined;
  readonly workers?: readonly number[] | undefined;
  readonly prefetch?: number | undefined;
  readonly loader?: string | undefined;
  /** Of a trace of training steps: the clusters to forecast. */
  readonly cluster?: ClusterOptions | undefined;
  readonly stepMarker?: string | undefined;
  /** Of a trace of training steps: a recording of the same job, which tells how its batches are prepared. */
  readonly recording?: string | undefined;
}

/** How a program is recorded; a target leaves out what means nothing to it. */
export interface RecordOptions {
  /** Folder to record into; named after the program unless given. */
  readonly out?: string | undefined;
  /** Stop recording after this many batches; the program goes on, unless `thenStop`. */
  readonly batches?: number | undefined;
  readonly thenStop?: boolean | undefined;
  /** Bytes the recording may take; older records make room for newer ones. */
  readonly maxRecordBytes?: number | undefined;
  /** Leave paths and arguments out of the recording. */
  readonly redact?: boolean | undefined;
  /** False: leaves out what is measured of the machine once the program has ended. */
  readonly costs?: boolean | undefined;
  /** Take samples of native code beside it. */
  readonly perf?: PerfSettings | undefined;
  /** Let the probe sample the lines of Python that prepare elements. */
  readonly stacks?: boolean | undefined;
  /** Send what the program prints to standard error, because standard output is for JSON. */
  readonly outputToError?: boolean | undefined;
}

/** The command line of `record` beside that. */
export interface RecordFlags extends RecordOptions {
  /** A process that runs already, instead of a command. */
  readonly attach?: number | undefined;
  /** Show meanwhile what it does. */
  readonly live?: boolean | undefined;
}

/** The command line of `tune`, by the names of its options. */
export interface TuneFlags {
  readonly rounds?: number;
  readonly for?: number;
  readonly untilStable?: boolean;
  readonly memory?: number;
  readonly target?: number;
  readonly epochs?: number;
  readonly param?: readonly string[];
  readonly keep?: readonly string[];
  readonly without?: readonly RuleName[];
  readonly cacheFolder?: string;
  readonly record?: string;
  readonly sideEffects?: 'allow' | 'refuse';
  readonly seed?: number;
  readonly root?: string;
  readonly out?: string;
  readonly batches?: number;
  readonly loader?: string;
  /** File for a page of what was tried. */
  readonly page?: string;
  readonly json?: boolean;
}

/** Commands that are programs of a target, and what is done with them. */
export interface Recorder {
  starts(command: readonly string[]): boolean;
  record(command: readonly string[], flags: RecordFlags, attendant: Attendant): Promise<RecordResult>;
}

export interface Tuner {
  starts(command: readonly string[]): boolean;
  /** What it tunes, and the remedy where one of its options is given for something else. */
  readonly subject: string;
  readonly naming: string;
  /** Beside `json` and `page`. */
  readonly takes: readonly (keyof TuneFlags)[];
  tune(command: readonly string[], flags: TuneFlags, attendant: Attendant): Promise<Tuned>;
}

export interface Tuned extends Answer<TuneResult> {
  /** False where a rate was asked for and is not reached. */
  readonly reached: boolean;
  /** The same in a page. */
  section(): PageSection;
  /** The program as it is, where its recording was kept. */
  readonly recording: string | undefined;
}

export interface Judgement extends Answer<Diagnosis> {
  /** The run among others, in a table of many. */
  row(): FleetRow;
}

/** What a file of another program says of itself. */
export interface Described extends Answer {
  /** Its figures as names and numbers, for a tracker of experiments. */
  flat(): Readonly<Record<string, number>>;
}

/** Files that another program wrote, which a target reads as they are: no recording is made of them. */
export interface ForeignFiles {
  recognises(path: string): boolean;
  describe(path: string, options: DescribeOptions): Promise<Described>;
}

/** Makes a section of a page; undefined where it is not about such a run, and throws where the run has too little for it. */
export type PageSectionMaker = () => Promise<PageSection | undefined>;

/** A run as it grows: takes its records once each, and says at any time what it does now. */
export interface LiveFold extends Fold {
  /** Goes on with the history up to now; `result` does so, too. */
  advance(manifest: RunManifest): void;
  /** `nowNs` on the run's clock. Undefined while nothing is known. */
  result(manifest: RunManifest, nowNs: number): Pick<LiveRun, 'pipeline' | 'loader'> | undefined;
}

/** A kind of program that is recorded. The verbs know its runs by their probe, and ask it; nothing else knows of it. */
export interface Target {
  readonly id: string;
  recognises(manifest: RunManifest): boolean;
  /** The name of a diagnosis in the JSON of a folder of runs. */
  readonly inFolder: 'diagnosis' | 'program';
  /** Undefined where its programs record themselves. */
  readonly recorder: Recorder | undefined;
  /** Undefined where its programs cannot be started from here. */
  readonly tuner: Tuner | undefined;
  readonly files?: ForeignFiles;
  /** What is read of a run beside operators, lanes and channels. */
  inspector(): Inspector;
  /** What is told of a run while it goes on. */
  live(): LiveFold;
  /** What a page shows of a run, beside what it shows of every one. */
  sections(path: string): PageSectionMaker[];
  /** What limits a run, and what to do about it. */
  judge(path: string, options: JudgeOptions): Promise<Judgement>;
  /** What a run would come to, set otherwise or elsewhere. */
  forecast(path: string, request: ForecastRequest, waiting?: Waiting): Promise<Answer<RunForecast>>;
  /** Runs against the first of them. */
  compare(paths: readonly string[], options: CompareOptions): Promise<Answer<Comparison>>;
  /** The same in a page. */
  compared(paths: readonly string[]): Promise<PageSection>;
}
