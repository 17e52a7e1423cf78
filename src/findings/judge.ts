import type { Analysis } from '../analysis/analysis.ts';
import type { MemoryGrowth } from '../analysis/batches/memory-growth.ts';
import type { StepsSummary } from '../analysis/steps/summary.ts';
import { isNarrow } from '../math/narrow-interval.ts';
import type { Definition, Found, JudgedLoader } from './definition.ts';
import { tooFew } from './few-batches.ts';
import { DEFINITIONS, type Figures, type Finding, type FindingKind, type FindingOf } from './registry.ts';
import { nothingNarrow } from './unclear.ts';

export interface Findings {
  /** What limits the run. */
  readonly verdict: Finding;
  /** Worth knowing beside it. */
  readonly others: readonly Finding[];
}

/** Everything that is found in a recorded pipeline, the verdict apart. */
export const findingsOf = (analysis: Analysis): Findings =>
  judge(
    look(definition => [definition.inPipeline?.(analysis)]),
    () => whole('unclear', nothingNarrow(analysis)),
  );

/** What limits a loader and its consumer, and what else there is to say. */
export function loaderFindings(judged: JudgedLoader): Findings {
  const about = [judged.loader.name];
  return judge(
    look(definition => [definition.inLoader?.(judged)], about),
    () => whole('few-batches', tooFew(judged), about),
  );
}

/** What there is to say of a program as a whole, beside its loaders. */
export const programFindings = (growths: readonly MemoryGrowth[], left: number): Finding[] =>
  look(definition => definition.inProgram?.(growths, left) ?? []);

/** What limits training steps. One part of a step is always the largest, so there is a verdict. */
export function stepsFindings(summary: StepsSummary): Findings {
  const found = look(definition => [definition.inSteps?.(summary)]);
  const verdict = found.find(({ limits }) => limits);
  if (verdict === undefined) throw new Error('No part of a step is the largest.');
  return { verdict, others: found.filter(finding => finding !== verdict) };
}

function judge(found: readonly Finding[], otherwise: () => Finding): Findings {
  const verdict = found.find(({ limits }) => limits) ?? otherwise();
  return { verdict, others: DEFINITIONS[verdict.kind].alone ? [] : found.filter(finding => finding !== verdict) };
}

type Detect = <F>(definition: Definition<F>) => readonly (Found<F> | undefined)[];

function look(detect: Detect, about?: readonly string[]): Finding[] {
  const ofKind = <K extends FindingKind>(kind: K): FindingOf<K>[] =>
    detect(DEFINITIONS[kind]).flatMap(found => (found === undefined ? [] : [whole(kind, found, about)]));
  return (Object.keys(DEFINITIONS) as FindingKind[]).flatMap(kind => ofKind(kind));
}

/** Promises nothing where what it would gain may be anything, and says so instead. */
function whole<K extends FindingKind>(kind: K, found: Found<Figures[K]>, about: readonly string[] = []): FindingOf<K> {
  const { limits, cause = { type: 'software' }, operators = about, figures, fix = { type: 'advice' } } = found;
  const { gain, doubts = [] } = found;
  const untold = gain !== undefined && !isNarrow(gain);
  return {
    ...{ kind, limits, cause, operators, figures, fix },
    gain: untold ? undefined : gain,
    doubts: untold ? [...doubts, 'gain-untold'] : doubts,
  };
}
