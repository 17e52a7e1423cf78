import type { DescribedPipeline } from '../../../../engine/api/planned.ts';
import { TAKEN } from '../../../../findings/oversubscribed-cores.ts';
import { estimateIfNarrow } from '../../../../math/narrow-interval.ts';
import { machineOf } from '../../../../model/host.ts';
import type { Refusal } from '../../../../model/plan.ts';
import type { Warning } from '../../../../model/warnings.ts';
import type { PipelineTuneResult, SearchedCalls } from '../../../../report/results/tuning.ts';
import type { TunedPlan } from '../../../../tuning/plan.ts';
import { VERSION } from '../../../version.ts';
import { gainOf, judge, meanOf } from '../../judgement.ts';
import { asMean, type Candidate, forecastOf, judgedOf, type Tried } from './candidate.ts';
import { unsteadiness } from './in-turn.ts';
import type { TuneOptions } from './options.ts';
import type { Trial } from './trial.ts';

/** What is tuned. */
export interface Subject {
  readonly path: string;
  readonly described: DescribedPipeline;
  readonly options: TuneOptions;
  /** The recording of it as its author wrote it. */
  readonly base: Trial;
}

/** What was found out about it. */
export interface Findings {
  /** The plan that the recording asks for. */
  readonly first: TunedPlan;
  /** What the pipeline came to as it is, each time it was measured. */
  readonly asItIs: readonly Tried[];
  readonly candidates: readonly Candidate[];
  /** Those that may be the best, by their places. */
  readonly contenders: readonly number[];
  readonly calls: SearchedCalls | undefined;
  readonly cautions: readonly Warning[];
  readonly problems: readonly Warning[];
  readonly refused: readonly Refusal[];
}

const UNTOLD: Warning = {
  code: 'VENTURI_WARN_FORECAST_UNTOLD',
  message:
    'What a plan would bring could not be told from the recording, which allows too much; what was measured counts. A longer one (--for 30s) or a quiet machine tells more.',
};

/** For caches and buffers; unless given, half of what the process may use. */
export const memoryOf = ({ options: { memory }, base }: Subject): number =>
  memory ?? machineOf(base.manifest).memoryUsable / 2;

export function resultOf(subject: Subject, findings: Findings): PipelineTuneResult {
  const { path, described, options, base } = subject;
  const { first, asItIs, candidates, contenders } = findings;
  const now = meanOf(asItIs);
  const before = asMean(asItIs, now, gainOf(asItIs, asItIs));
  const judged = candidates.map(candidate => judgedOf(candidate, asItIs));
  const tried = candidates.flatMap(({ times }, at) => {
    const its = judged[at];
    return its === undefined ? [] : [asMean(times, its.measured, its.gained)];
  });
  const { coresUsable } = machineOf(base.manifest);
  const { target } = options;
  const judgement = judge(
    contenders.flatMap(at => judged[at] ?? []),
    now,
    target,
  );
  const best = 'best' in judgement ? contenders[judgement.best] : undefined;
  const chosen = (best === undefined ? undefined : tried[best]) ?? before;
  const tuned = (best === undefined ? undefined : candidates[best]?.plan) ?? first;
  const predicted = best === undefined ? now : forecastOf(tuned);
  const others = Math.max(before.othersBusy, ...contenders.map(at => tried[at]?.othersBusy ?? 0));
  return {
    schemaVersion: 1,
    plan: {
      schemaVersion: 1,
      target: 'engine',
      pipeline: { path, shape: described.shape, fingerprint: described.fingerprint },
      changes: [...chosen.changes],
      refused: [...findings.refused],
      basis: {
        writer: `venturi ${VERSION}`,
        coresUsable,
        memory: Math.floor(memoryOf(subject)),
        epochs: options.epochs ?? 1,
        ...(predicted === undefined ? {} : { predicted }),
        before: now,
        measured: chosen.measured,
      },
    },
    before,
    ends: base.analysis.rates.ends,
    tried,
    best,
    unchanged: 'unchanged' in judgement ? judgement.unchanged : undefined,
    gained: chosen.gained,
    calls: findings.calls,
    rules: tuned.rules,
    ceiling: tuned.ceiling,
    ceilingBy: tuned.ceilingBy,
    binding: tuned.binding,
    cold:
      best === undefined || tuned.cold === undefined
        ? undefined
        : { ...tuned.cold, rate: estimateIfNarrow(tuned.cold.rate) },
    target: target === undefined ? undefined : { rate: target, reached: chosen.measured.high >= target },
    coresUsable,
    coresLeft: base.analysis.rates.cpu.left,
    cautions: [
      ...findings.cautions,
      ...(candidates.some(({ plan }) => forecastOf(plan) === undefined) ? [UNTOLD] : []),
      ...(others > TAKEN * coresUsable
        ? [
            {
              code: 'VENTURI_WARN_MACHINE_SHARED' as const,
              message: `Other programs used up to ${others.toFixed(1)} cores meanwhile: what is forecast is for the cores they left, and an idle machine would give other rates.`,
            },
          ]
        : unsteadiness([asItIs, ...candidates.map(({ times }) => times)])),
    ],
    problems: [...findings.problems, ...base.run.problems],
  };
}
