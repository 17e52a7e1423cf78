import type { AttributionSummary } from '../../analysis/attribution/summary.ts';
import type { StepPhases } from '../../analysis/batches/phases.ts';
import type { LoaderSummary } from '../../analysis/batches/summary.ts';
import type { LoaderFinding } from '../../model/loader-finding.ts';
import type { LoaderChoice } from '../../tuning/loader/choose.ts';
import type { LoaderFindings } from '../../tuning/loader/findings.ts';
import type { Diagnosis } from './diagnosis.ts';
import type { LoaderEdit } from './loader-edit.ts';

export interface LoaderDiagnosis {
  readonly summary: LoaderSummary;
  readonly findings: LoaderFindings;
  readonly choice: LoaderChoice | undefined;
  readonly edit: LoaderEdit | undefined;
}

/** What limits the loaders of a recorded program, why that is believed, and what to do about it. */
export interface ProgramDiagnosis extends Diagnosis {
  /** Of the loader whose waiting costs the program most, which is the first of `loaders`; the others follow by what they cost. */
  readonly verdict: LoaderFinding;
  readonly others: readonly LoaderFinding[];
  readonly loaders: readonly LoaderDiagnosis[];
  /** What steps did with the batches, by the steps that were watched. */
  readonly steps: readonly StepPhases[];
  readonly cpu: { readonly busy: number; readonly others: number | undefined; readonly usable: number };
  /** Where a profiler ran beside it: what the CPU did inside the operators. Of each only the most hit symbols. */
  readonly samples?: AttributionSummary;
  readonly torch: string | undefined;
  readonly python: string | undefined;
}
