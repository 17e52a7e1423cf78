import type { Analysis } from '../analysis/analysis.ts';
import type { MemoryGrowth } from '../analysis/batches/memory-growth.ts';
import type { LoaderSummary } from '../analysis/batches/summary.ts';
import type { StepsSummary } from '../analysis/steps/summary.ts';
import type { LoaderProfile } from '../prediction/loader/profile.ts';
import type { LoaderChoice } from '../tuning/loader/choose.ts';
import type { FindingShape, Fix } from './finding.ts';

/** A loader, what was worked out about it, and the machine it ran on. */
export interface JudgedLoader {
  readonly loader: LoaderSummary;
  /** Undefined where too little was recorded to forecast from. */
  readonly profile: LoaderProfile | undefined;
  readonly choice: LoaderChoice | undefined;
  /** Cores that the program used while batches flowed. */
  readonly coresBusy: number;
  /** Part of what storage can give that was read; undefined where nobody said what it can. */
  readonly storageShare: number | undefined;
  readonly accelerator: string | undefined;
}

/**
 * What a detector tells. Left out: the cause is software, the fix is the advice of its words, nothing is promised or doubted, and it
 * is about no operator, or about the loader that was looked at.
 */
export type Found<Figures> = Pick<FindingShape<Figures>, 'limits' | 'figures'> &
  Partial<Omit<FindingShape<Figures>, 'kind'>>;

/** What words may use of a recorded pipeline. Those of findings on loaders need none of it. */
export interface WordContext {
  /** What an operator is called. */
  label(id: string): string;
  /** Elements per second of the run. */
  readonly now: number;
  /** What a gain is for, where other programs use the machine. */
  readonly on?: string | undefined;
  /** How a setting is made: `--set decode.parallelism=4`. */
  setting(fix: Fix & { type: 'set' }): string;
  /** The same of an option of the run: `--memory 5.5GB`. */
  option(text: string): string;
}

export interface Wording extends WordContext {
  /** What the first of the finding's operators is called. */
  readonly name: string;
}

/** What is the matter, with its number; and what to do where the fix is `advice`. */
export interface Sentence {
  readonly text: string;
  readonly advice?: string | undefined;
}

/** A kind of finding: where it is looked for, in one or more of four things, and its words. */
export interface Definition<Figures> {
  inPipeline?(analysis: Analysis): Found<Figures> | undefined;
  inLoader?(judged: JudgedLoader): Found<Figures> | undefined;
  /** In how memory of a program's processes went; `left` is what programs can still have, in bytes. */
  inProgram?(growths: readonly MemoryGrowth[], left: number): readonly Found<Figures>[];
  inSteps?(summary: StepsSummary): Found<Figures> | undefined;
  /** As the verdict it stands alone: there is too little to judge by, and whatever else was found rests on just as little. */
  readonly alone?: true;
  words(finding: FindingShape<Figures>, wording: Wording): Sentence;
}
