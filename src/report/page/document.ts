import type { StageRates } from '../../analysis/rates/rates.ts';
import type { CostBasis } from '../../prediction/cost/basis.ts';
import type { ClusterPrediction } from '../results/cluster-prediction.ts';
import type { PipelineComparison } from '../results/comparison.ts';
import type { PipelineDiagnosis } from '../results/diagnosis.ts';
import type { InputPrediction } from '../results/input-prediction.ts';
import type { LiveRun } from '../results/live-run.ts';
import type { LoaderSeries } from '../results/loader-series.ts';
import type { PlanComparison } from '../results/plan-comparison.ts';
import type { Prediction } from '../results/prediction.ts';
import type { Profile } from '../results/profile.ts';
import type { ProgramDiagnosis } from '../results/program-diagnosis.ts';
import type { ProgramPrediction } from '../results/program-prediction.ts';
import type { TuneProgramResult } from '../results/program-tuning.ts';
import type { RunInfo } from '../results/run-info.ts';
import type { RunSampleReport } from '../results/run-samples.ts';
import type { StepsComparison, StepsDiagnosis } from '../results/steps.ts';
import type { PipelineTuneResult } from '../results/tuning.ts';
import type { Block } from '../tree.ts';
import type { ActivityData } from './activity.ts';
import type { BatchesData } from './batches.ts';
import type { ScaleoutBasis } from './scaleout-basis.ts';
import type { TimelineData } from './tiles.ts';
import type { TimesData } from './times.ts';

/**
 * Page document: what a page shows, whole or while a run goes on. Everything in it is data; names out of traces are text and never
 * become markup. It travels as `encodePage` writes it, because results hold numbers that JSON has not.
 */
export interface PageDocument {
  readonly schema: 'venturi.page/1';
  readonly title: string;
  /** ISO 8601. */
  readonly madeAt: string;
  /** Paths, arguments and host names were left out. */
  readonly redacted: boolean;
  /** What was left out for its size, in sentences. */
  readonly dropped: readonly string[];
  readonly sections: readonly PageSection[];
}

/** What `data` is, by a section's kind. Results are those that `--json` prints. */
export interface SectionData {
  /** `venturi info` */
  run: RunInfo;
  /** `venturi diagnose` */
  diagnosis: PipelineDiagnosis;
  'program-diagnosis': ProgramDiagnosis;
  'steps-diagnosis': StepsDiagnosis;
  /** `venturi predict` */
  prediction: Prediction;
  'program-prediction': ProgramPrediction;
  'input-prediction': InputPrediction;
  'cluster-prediction': ClusterPrediction;
  /** `venturi profile` */
  profile: Profile;
  /** `venturi samples` */
  samples: RunSampleReport;
  /** `venturi compare` */
  comparison: PipelineComparison;
  'loader-series': LoaderSeries;
  'steps-comparison': StepsComparison;
  'plan-comparison': PlanComparison;
  /** `venturi tune` */
  tuning: PipelineTuneResult;
  'program-tuning': TuneProgramResult;
  /** A run while it goes on: `venturi watch` */
  live: LiveRun;
  /** Lanes and their spans; the spans themselves come as tiles. */
  timeline: TimelineData;
  /** Lanes, channels and the host over time. */
  activity: ActivityData;
  /** Batches of a program's loaders. */
  batches: BatchesData;
  /** How long operators took, where that was timed. */
  times: TimesData;
}

/** What a section has beside its result, for views that compute in the page. */
interface SectionExtras {
  /** From which the page forecasts other resources: `outlookOn` gives what `venturi predict` prints. */
  prediction: { readonly basis: CostBasis };
  /** By run: what the lanes of its stages did. */
  comparison: { readonly stages: readonly (readonly StageRates[])[] };
  /** From which the page simulates other clusters; absent where it is too large. */
  'cluster-prediction': ScaleoutBasis;
}

/** Of the section that says what tuning came to. */
export const TRIED = { id: 'tuning', title: 'What was tried' } as const;

/** Of the section that holds a run against another. */
export const COMPARED = { id: 'comparison', title: 'Compared' } as const;

export type SectionKind = keyof SectionData;

interface SectionBase<K extends SectionKind> {
  readonly kind: K;
  /** Unique in its document; a section that arrives later takes the place of the one with its id. */
  readonly id: string;
  readonly title: string;
  /** The report of the verb, for people: shown where there is no view of the data, and without JavaScript. */
  readonly blocks: readonly Block[];
  readonly data: SectionData[K];
}

export type SectionOf<K extends SectionKind> = SectionBase<K> &
  (K extends keyof SectionExtras ? { readonly extras?: SectionExtras[K] } : unknown);

export type PageSection = { [K in SectionKind]: SectionOf<K> }[SectionKind];
