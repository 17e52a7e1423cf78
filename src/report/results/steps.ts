import type { StepsSummary } from '../../analysis/steps/summary.ts';
import type { Warning } from '../../model/warnings.ts';
import type { Comparison } from './comparison.ts';
import type { Diagnosis } from './diagnosis.ts';
import type { RunHeading } from './run-heading.ts';

/** A trace of training steps. */
export interface StepsInfo extends RunHeading {
  readonly files: readonly string[];
  readonly summary: StepsSummary;
  readonly problems: readonly Warning[];
}

/** What limits training steps. */
export interface StepsDiagnosis extends Diagnosis {
  readonly summary: StepsSummary;
}

/** Traces of training steps beside the first of them. */
export interface StepsComparison extends Comparison {
  readonly runs: readonly ComparedSteps[];
  /** Ops on devices in the first trace and in the last, per step, those that differ most first; 0 where one has it not. */
  readonly kernels: readonly ComparedKernel[];
}

export interface ComparedSteps {
  readonly name: string;
  readonly folder: string;
  readonly summary: StepsSummary;
  /** Mean step time / that of the first trace. */
  readonly ratio: number;
  /** The two differ by less than twice the standard error of their means. */
  readonly withinNoise: boolean;
}

export interface ComparedKernel {
  readonly name: string;
  readonly before: { readonly perStep: number; readonly count: number };
  readonly after: { readonly perStep: number; readonly count: number };
}
