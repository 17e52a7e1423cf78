import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MOST_CALLS, waitedCalls } from '../analysis/bottleneck/waited-calls.ts';
import type { PipelineDefinition } from '../engine/api/define.ts';
import { loadPipeline } from '../engine/api/load.ts';
import { type DescribedPipeline, describePipeline } from '../engine/api/planned.ts';
import { engineRules } from '../engine/compile/fusing.ts';
import { whoseCannotBeSent } from '../engine/runtime/calls/failure.ts';
import { findingsOf } from '../findings/judge.ts';
import type { Interval } from '../math/statistics.ts';
import { isTold, told } from '../math/told.ts';
import { appliedPlan } from '../model/applied-plan.ts';
import { mostBandwidth } from '../model/disk.ts';
import { isInterruption, VenturiError } from '../model/errors.ts';
import { machineOf } from '../model/host.ts';
import type { Change, Plan } from '../model/plan.ts';
import { NS_PER_SECOND } from '../model/units.ts';
import type { Warning } from '../model/warnings.ts';
import type { SearchedCalls, TriedPlan, TuneResult } from '../report/results/tuning.ts';
import { CallSearch, type CallTrial } from '../tuning/call-search.ts';
import { meanRate } from '../tuning/cold.ts';
import type { SeenCalls } from '../tuning/model.ts';
import { PASSES, type PassName } from '../tuning/passes/pass.ts';
import { otherPlans, type PlanOptions, planFor, type TunedPlan } from '../tuning/plan.ts';
import { stayingOperators } from '../tuning/staying.ts';
import { parametersFrom } from './run.ts';
import type { Trial } from './trial.ts';
import { checkConsent } from './tune/consent.ts';
import { CANNOT_RUN, nextToDrop } from './tune/fallback.ts';
import { cacheOf, flow } from './tune/flow.ts';
import {
  contendersOf,
  isClose,
  LEAST_AGAIN,
  MOST_AGAIN,
  middle,
  SHARE_OF_AGAIN,
  TIMES_AGAIN,
  unsteadiness,
} from './tune/in-turn.ts';
import { gainOf, isOpen, type Judged, judge, meanOf, type Timed } from './tune/judgement.ts';
import type { TuneOptions } from './tune/options.ts';
import { isRepeatable } from './tune/repeatable.ts';
import { interrupted, Trials } from './tune/trials.ts';
import { VERSION } from './version.ts';

export interface TuneRequest extends TuneOptions {
  /** The pipeline's file. */
  readonly pipeline: string;
  /** `key=value`. */
  readonly parameters?: readonly string[];
}

const ROUNDS = 3;
/** Of the memory that the process may use, for caches and buffers. */
const MEMORY_SHARE = 0.5;
/** A plan that is reckoned to bring less than this part of what another was measured at is not tried. */
const CLOSE = 0.8;
/** Of the cores, in use by other programs: then the clock tells little. */
const BUSY = 0.25;

const UNTOLD: Warning = {
  code: 'VENTURI_WARN_FORECAST_UNTOLD',
  message:
    'What a plan would bring could not be told from the recording, which allows too much; what was measured counts. A longer one (--for 30s) or a quiet machine tells more.',
};

/** Tunes the pipeline that a file exports. */
export async function tune(request: TuneRequest): Promise<TuneResult> {
  const params = request.params ?? parametersFrom(request.parameters ?? []);
  const loaded = await loadPipeline(request.pipeline, request.signal);
  try {
    return await tuneDefinition(loaded.definition, request.pipeline, { ...request, params });
  } finally {
    await loaded.dispose();
  }
}

/** Records a pipeline, plans changes, tries them out, plans again with what that has shown, and keeps the best. */
export async function tuneDefinition<P, T>(
  definition: PipelineDefinition<P, T>,
  path: string,
  options: TuneOptions,
): Promise<TuneResult> {
  const described = describePipeline(definition, options.params as Partial<P>);
  checkRoot(described, options);
  await checkConsent(described, options);
  const scratch = options.record ?? (await mkdtemp(join(tmpdir(), 'venturi-tune-')));
  try {
    const trials = new Trials(definition, described, options, scratch);
    options.onStep?.('recording the pipeline as it is');
    const base = await trials.asItIs();
    return await new Tuning({ definition, path, described, options, trials, base }).run();
  } finally {
    if (options.record === undefined) await rm(scratch, { recursive: true, force: true });
  }
}

/** Before anything has run. */
function checkRoot({ operators }: DescribedPipeline, { root }: TuneOptions): void {
  if (root === undefined || operators.some(({ id, label }) => id === root || label === root)) return;
  throw new VenturiError('VENTURI_UNKNOWN_OPERATOR', `This pipeline has no operator '${root}'.`, {
    remedy: `It has ${operators.map(({ id }) => `'${id}'`).join(', ')}.`,
  });
}

/** What is tuned. */
interface Subject<P, T> {
  readonly definition: PipelineDefinition<P, T>;
  readonly path: string;
  readonly described: DescribedPipeline;
  readonly options: TuneOptions;
  readonly trials: Trials<P, T>;
  /** The recording of it as its author wrote it. */
  readonly base: Trial;
}

/** A plan that has run. */
interface Candidate {
  readonly plan: TunedPlan;
  readonly trial: Trial;
  /** What it came to, each time it was measured. */
  readonly times: Tried[];
}

/** What was measured of a plan, or of the pipeline as it is, in one round. */
interface Tried extends Omit<TriedPlan, 'gained'>, Timed {}

class Tuning<P, T> {
  readonly #subject: Subject<P, T>;
  readonly #options: TuneOptions;
  readonly #base: Trial;
  /** What the pipeline came to as it is, each time it was measured. */
  readonly #before: Tried[];
  readonly #candidates: Candidate[] = [];
  /** Passes that are left out, since what they led to could not be run. */
  readonly #without: PassName[] = [];
  /** What was found out about calls of an async function. */
  readonly #calls = new Map<string, SeenCalls>();
  #searched: SearchedCalls | undefined;
  /** Operators of which a trial has shown that what leaves them cannot go to another thread. */
  readonly #staying: string[] = [];
  readonly #problems: Warning[] = [];
  readonly #cautions: Warning[] = [];

  constructor(subject: Subject<P, T>) {
    this.#subject = subject;
    this.#options = subject.options;
    this.#base = subject.base;
    this.#before = [this.#asTried(subject.base, 0)];
  }

  async run(): Promise<TuneResult> {
    let first = planFor(this.#base.analysis, this.#planOptions);
    for (const operator of stayingOperators(this.#base.analysis)) {
      this.#cautions.push({
        code: 'VENTURI_WARN_ELEMENTS_STAY',
        message: `What leaves '${operator}' cannot go to another thread or into a cache: no plan tries that. See "What elements may be" in docs/engine.md.`,
      });
    }
    try {
      await this.#tryCalls();
      first = planFor(this.#base.analysis, this.#planOptions);
      await this.#tryPlans(first);
      await this.#inTurn();
    } catch (error) {
      // What has been measured is not thrown away because something was to follow.
      if (!isInterruption(error) || this.#candidates.length === 0) throw error;
      const count = this.#candidates.length;
      this.#cautions.push({
        code: 'VENTURI_WARN_INTERRUPTED',
        message: `Interrupted after ${count} ${count === 1 ? 'plan' : 'plans'}: another may be better.`,
      });
    }
    return this.#result(first);
  }

  /** How many calls at once of an async function help that the pipeline waits for: by trials, before anything else is planned. */
  async #tryCalls(): Promise<void> {
    const { keep = [], without = [], target = Number.POSITIVE_INFINITY } = this.#options;
    const waited = waitedCalls(this.#base.analysis);
    if (waited === undefined || without.includes('concurrency')) return;
    const { operator, concurrency: from } = waited;
    if ([operator.id, operator.label].some(name => keep.includes(name))) return;
    const search = new CallSearch(callTrialOf(this.#base, operator.id, from), MOST_CALLS);
    const tried = new Map<number, Candidate>();
    try {
      for (let next = search.next; next !== undefined; next = search.next) {
        this.#say(`trying ${next} calls of ${operator.label} at once`);
        const candidate = await this.#tryMoreCalls(operator.id, next);
        if (candidate === undefined) search.fail();
        else {
          tried.set(next, candidate);
          search.add(callTrialOf(candidate.trial, operator.id, next));
          if (candidate.trial.analysis.rates.rate.estimate >= target) break;
        }
      }
    } finally {
      const { concurrency } = search.best;
      const best = tried.get(concurrency);
      const seen = (best?.trial ?? this.#base).analysis.rates.operators.find(({ id }) => id === operator.id);
      this.#calls.set(operator.id, { concurrency, ...(seen === undefined ? {} : { blocked: seen.blockedDemand }) });
      if (best !== undefined) this.#candidates.push(best);
      this.#searched = { operator: operator.id, tried: search.trials, taken: concurrency, end: search.end };
    }
  }

  /** Undefined where the pipeline fails with as many calls at once: the service refuses them. */
  async #tryMoreCalls(operator: string, concurrency: number): Promise<Candidate | undefined> {
    const without = PASSES.filter(name => name !== 'concurrency');
    const calls = new Map([[operator, { concurrency }]]);
    const plan = planFor(this.#base.analysis, { ...this.#planOptions, without, calls });
    try {
      return await this.#try(plan, `calls-${concurrency}`, { share: SHARE_OF_AGAIN });
    } catch (error) {
      if (!(error instanceof VenturiError) || error.code !== 'VENTURI_USER_FUNCTION') throw error;
      this.#problems.push({
        code: 'VENTURI_WARN_CALLS_FAILED',
        message: `With ${concurrency} calls at once it failed: ${error.message}`,
      });
      return undefined;
    }
  }

  /** One plan after the other, each made with what those before have shown. */
  async #tryPlans(first: TunedPlan): Promise<void> {
    const { rounds = ROUNDS } = this.#options;
    /** Operators whose elements were made twice and were the same. */
    const sworn = new Set<string>();
    let plan: TunedPlan | undefined = this.#candidates.length > 0 ? this.#next() : first;
    while (plan !== undefined && this.#candidates.length < rounds && plan.changes.length > 0) {
      const cached = cacheOf(plan);
      if (cached !== undefined && !sworn.has(cached) && !(await this.#isRepeatable(cached))) {
        this.#without.push('cache');
      } else {
        if (cached !== undefined) sworn.add(cached);
        const count = plan.changes.length;
        this.#say(`trying a plan of ${count} ${count === 1 ? 'change' : 'changes'}`);
        const known = this.#staying.length;
        const candidate = await this.#try(plan, `plan-${this.#candidates.length + 1}`);
        if (candidate !== undefined) {
          this.#candidates.push(candidate);
        } else if (this.#staying.length === known) {
          // It could not be run: what can be done without caches, then without anything that sends elements anywhere else.
          const dropped = nextToDrop(plan);
          if (dropped === undefined) return;
          this.#without.push(...dropped);
        }
      }
      plan = this.#next();
    }
  }

  /** As they came out at first. */
  get #tried(): readonly Tried[] {
    return this.#candidates.flatMap(({ times }) => times.slice(0, 1));
  }

  /** Those that may be the best, by their places. */
  get #contenders(): readonly number[] {
    return contendersOf(this.#tried, this.#options.target);
  }

  /**
   * What may be the best is measured again, in turn with the pipeline as it is: the machine may have been faster for one of them. More
   * often where they came close to each other, and where it is still open whether any plan is faster.
   */
  async #inTurn(): Promise<void> {
    const contenders = this.#contenders;
    if (contenders.length === 0) return;
    const [asItIs] = this.#before;
    const least = isClose(asItIs, this.#tried) ? TIMES_AGAIN : LEAST_AGAIN;
    const best = contenders.length === 1 ? 'the best plan' : `the best ${contenders.length} plans`;
    this.#say(`measuring ${best} and the pipeline as it is again, in turn`);
    for (let round = 1; round <= least || (round <= MOST_AGAIN && isOpen(this.#judged)); round++) {
      // What ran before and cannot be measured this time is left out; that is no problem of the plan.
      const trial = await unlessItCannotRun(
        this.#subject.trials.asItIsAgain(`as-it-is-again-${round}`, SHARE_OF_AGAIN),
      );
      if (!(trial instanceof VenturiError)) this.#before.push(this.#asTried(trial, round));
      for (const at of contenders) {
        const candidate = this.#candidates[at];
        if (candidate === undefined) continue;
        const again = await this.#try(candidate.plan, `plan-${at + 1}-again-${round}`, {
          round,
          share: SHARE_OF_AGAIN,
        });
        candidate.times.push(...(again?.times ?? []));
      }
    }
  }

  /** The contenders as they are judged. */
  get #judged(): readonly Judged[] {
    return this.#contenders.flatMap(at => {
      const candidate = this.#candidates[at];
      return candidate === undefined ? [] : [this.#judgedOf(candidate)];
    });
  }

  #judgedOf({ plan, times }: Candidate): Judged {
    const measured = meanOf(times);
    const { cold } = plan;
    const ofPasses =
      cold === undefined ? 1 : meanRate(cold.rate.estimate, measured.estimate, cold.passes) / measured.estimate;
    return { measured, gained: gainOf(times, this.#before), lanes: times[0]?.lanes ?? 0, ofPasses };
  }

  /**
   * What the trials so far ask for. Where that has been tried, the best that keeps something else or has fewer threads, if it should come
   * close to what was measured: which of them is faster is known when both have run. Undefined where nothing is left to try.
   */
  #next(): TunedPlan | undefined {
    const { analysis } = this.#base;
    const isNew = (one: TunedPlan): boolean => this.#candidates.every(({ plan }) => flow(plan) !== flow(one));
    const options = this.#planOptions;
    const next = planFor(analysis, options);
    if (isNew(next)) return next;
    if (options.target !== undefined) return undefined;
    const best = Math.max(...this.#tried.map(({ measured }) => measured.estimate));
    return otherPlans(analysis, options).find(
      plan => plan.changes.length > 0 && isNew(plan) && plan.overall > CLOSE * best,
    );
  }

  get #planOptions(): PlanOptions {
    const { target, cacheFolder, keep, without, epochs = 1 } = this.#options;
    const { disk } = machineOf(this.#base.manifest);
    return {
      rules: engineRules(),
      cores: this.#base.analysis.rates.cpu.left,
      memory: this.#memory,
      epochs,
      target,
      disk:
        cacheFolder === undefined
          ? undefined
          : { folder: cacheFolder, bytesPerSecond: disk === undefined ? undefined : mostBandwidth(disk) },
      keep: keep ?? [],
      without: [...(without ?? []), ...this.#without],
      staying: this.#staying,
      rounds: this.#candidates.map(({ trial: { analysis } }) => ({ analysis })),
      calls: this.#calls,
      now: () => performance.now(),
    };
  }

  get #memory(): number {
    return this.#options.memory ?? machineOf(this.#base.manifest).memoryUsable * MEMORY_SHARE;
  }

  /** Undefined where the engine cannot run it. */
  async #try(
    plan: TunedPlan,
    name: string,
    { round = 0, share = 1 }: { readonly round?: number; readonly share?: number } = {},
  ): Promise<Candidate | undefined> {
    const applied = appliedPlan(this.#asPlan(plan.changes, plan, { before: this.#base.analysis.rates.rate }));
    const outcome = await unlessItCannotRun(this.#subject.trials.ofPlan(plan, applied, this.#base, { name, share }));
    if (outcome instanceof VenturiError) {
      if (round > 0) return undefined;
      this.#problems.push({
        code: 'VENTURI_WARN_PLAN_NOT_RUN',
        message: `A plan could not be run: ${outcome.message}`,
      });
      const staying = whoseCannotBeSent(outcome);
      const isKnown = this.#base.analysis.graph.operators.some(({ id }) => id === staying);
      if (staying !== undefined && isKnown && !this.#staying.includes(staying)) this.#staying.push(staying);
      return undefined;
    }
    const { trial, sampled } = outcome;
    return { plan, trial, times: [this.#asTried(trial, round, plan, sampled)] };
  }

  async #isRepeatable(operator: string): Promise<boolean> {
    const { params = {}, signal } = this.#options;
    const isSame = await isRepeatable(this.#subject.definition, { params, signal, operator });
    if (signal?.aborted === true) throw interrupted();
    if (!isSame) {
      this.#problems.push({
        code: 'VENTURI_WARN_NOT_REPEATABLE',
        message: `What comes out of '${operator}' is not the same when it is made again: it cannot be kept.`,
      });
    }
    return isSame;
  }

  #asTried(trial: Trial, round: number, plan?: TunedPlan, sampled = false): Tried {
    const { rates, graph } = trial.analysis;
    return {
      round,
      changes: plan?.changes ?? [],
      predicted: plan === undefined || !isTold(plan.predicted) ? undefined : plan.predicted,
      measured: rates.rate,
      coresBusy: rates.cpu.busy,
      othersBusy: rates.cpu.others ?? 0,
      lanes: graph.stages.reduce((sum, { parallelism }) => sum + parallelism, 0),
      verdict: findingsOf(trial.analysis).verdict,
      graph,
      recording: this.#options.record === undefined ? undefined : trial.run.folder,
      sampled,
    };
  }

  #asPlan(
    changes: readonly Change[],
    { predicted }: Pick<TunedPlan, 'predicted'>,
    rates: { before: Interval; measured?: Interval },
  ): Plan {
    const { path, described } = this.#subject;
    return {
      schemaVersion: 1,
      pipeline: { path, shape: described.shape, fingerprint: described.fingerprint },
      changes: [...changes],
      basis: {
        writer: `venturi ${VERSION}`,
        coresUsable: machineOf(this.#base.manifest).coresUsable,
        memory: Math.floor(this.#memory),
        epochs: this.#options.epochs ?? 1,
        ...(isTold(predicted) ? { predicted } : {}),
        ...rates,
      },
    };
  }

  #result(first: TunedPlan): TuneResult {
    const now = meanOf(this.#before);
    const before = asMean(this.#before, now, gainOf(this.#before, this.#before));
    const judged = this.#candidates.map(candidate => this.#judgedOf(candidate));
    const tried = this.#candidates.flatMap(({ times }, at) => {
      const its = judged[at];
      return its === undefined ? [] : [asMean(times, its.measured, its.gained)];
    });
    const contenders = this.#contenders;
    const { coresUsable } = machineOf(this.#base.manifest);
    const { target } = this.#options;
    const judgement = judge(
      contenders.flatMap(at => judged[at] ?? []),
      now,
      target,
    );
    const best = 'best' in judgement ? contenders[judgement.best] : undefined;
    const chosen = (best === undefined ? undefined : tried[best]) ?? before;
    const tuned = (best === undefined ? undefined : this.#candidates[best]?.plan) ?? first;
    const others = Math.max(before.othersBusy, ...contenders.map(at => tried[at]?.othersBusy ?? 0));
    return {
      schemaVersion: 1,
      plan: this.#asPlan(chosen.changes, best === undefined ? { predicted: now } : tuned, {
        before: now,
        measured: chosen.measured,
      }),
      before,
      ends: this.#base.analysis.rates.ends,
      tried,
      best,
      unchanged: 'unchanged' in judgement ? judgement.unchanged : undefined,
      gained: chosen.gained,
      calls: this.#searched,
      passes: tuned.passes,
      bound: told(tuned.bound),
      boundBy: tuned.boundBy,
      binding: tuned.binding,
      cold: best === undefined || tuned.cold === undefined ? undefined : { ...tuned.cold, rate: told(tuned.cold.rate) },
      target: target === undefined ? undefined : { rate: target, reached: chosen.measured.high >= target },
      coresUsable,
      coresLeft: this.#base.analysis.rates.cpu.left,
      cautions: [
        ...this.#cautions,
        ...(this.#candidates.some(({ plan }) => !isTold(plan.predicted)) ? [UNTOLD] : []),
        ...(others > BUSY * coresUsable
          ? [
              {
                code: 'VENTURI_WARN_MACHINE_SHARED' as const,
                message: `Other programs used up to ${others.toFixed(1)} cores meanwhile: what is forecast is for the cores they left, and an idle machine would give other rates.`,
              },
            ]
          : unsteadiness([this.#before, ...this.#candidates.map(({ times }) => times)])),
      ],
      problems: [...this.#problems, ...this.#base.run.problems],
    };
  }

  #say(line: string): void {
    this.#options.onStep?.(line);
  }
}

/** What a trial came to, or why it cannot be run. */
const unlessItCannotRun = <T>(trial: Promise<T>): Promise<T | VenturiError> =>
  trial.catch(error => {
    if (error instanceof VenturiError && CANNOT_RUN.has(error.code)) return error;
    throw error;
  });

/** Several measurements of the same as one: rates are their mean, and the rest is that of the one in the middle. */
function asMean(times: readonly Tried[], measured: Interval, gained: Interval): TriedPlan {
  const { round: _, ...its } = middle(times);
  return { ...its, measured, gained };
}

/** What a recording says of an async function's calls. */
function callTrialOf({ analysis: { rates } }: Trial, operator: string, concurrency: number): CallTrial {
  const calls = rates.operators.find(({ id }) => id === operator)?.calls;
  return {
    concurrency,
    rate: rates.rate.estimate,
    callTime: (calls?.time ?? Number.NaN) / NS_PER_SECOND,
    underWay: calls?.underWay ?? Number.NaN,
    failed: calls?.failed ?? 0,
  };
}
