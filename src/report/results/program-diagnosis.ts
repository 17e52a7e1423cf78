import type { AttributionSummary } from '../../analysis/attribution/summary.ts';
import type { StepPhases } from '../../analysis/batches/phases.ts';
import type { LoaderSummary } from '../../analysis/batches/summary.ts';
import type { Findings } from '../../findings/judge.ts';
import type { LoaderChoice } from '../../tuning/loader/choose.ts';
import type { Diagnosis } from './diagnosis.ts';
import type { LoaderEdit } from './loader-edit.ts';

export interface LoaderDiagnosis {
  readonly summary: LoaderSummary;
  readonly findings: Findings;
  readonly choice: LoaderChoice | undefined;
  readonly edit: LoaderEdit | undefined;
}

/** Verdict on the loaders of a recorded program, its evidence, and the changes that help. */
export interface ProgramDiagnosis extends Diagnosis {
  /** Sorted by the cost of waiting for them, the largest first: the verdict is on that one. */
  readonly loaders: readonly LoaderDiagnosis[];
  /** Phases of the steps, by the steps that were watched. */
  readonly steps: readonly StepPhases[];
  readonly cpu: { readonly busy: number; readonly others: number | undefined; readonly usable: number };
  /** Where a profiler ran beside it: CPU inside the operators; of each the symbols with most samples. */
  readonly samples?: AttributionSummary;
  readonly torch: string | undefined;
  readonly python: string | undefined;
}
