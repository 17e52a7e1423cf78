import { MOST_CALLS, waitedCalls } from '../../../../analysis/bottleneck/waited-calls.ts';
import type { PipelineDefinition } from '../../../../engine/api/define.ts';
import { engineRules } from '../../../../engine/compile/fusing.ts';
import { whoseCannotBeSent } from '../../../../engine/runtime/calls/failure.ts';
import { mostBandwidth } from '../../../../model/disk.ts';
import { isInterruption, VenturiError } from '../../../../model/errors.ts';
import { machineOf } from '../../../../model/host.ts';
import type { Refusal } from '../../../../model/plan.ts';
import { NS_PER_SECOND } from '../../../../model/units.ts';
import type { Warning } from '../../../../model/warnings.ts';
import type { SeenCalls } from '../../../../prediction/cost/model.ts';
import { stayingOperators } from '../../../../prediction/cost/staying.ts';
import type { PipelineTuneResult, SearchedCalls } from '../../../../report/results/tuning.ts';
import { CallSearch, type CallTrial } from '../../../../tuning/call-search.ts';
import { otherPlaces, otherPlans, type PlanOptions, planFor, type TunedPlan } from '../../../../tuning/plan.ts';
import { RULES, type RuleName } from '../../../../tuning/rules/rule.ts';
import { isNear, isOpen, type Judged, LEAST_AGAIN, MOST_AGAIN } from '../../judgement.ts';
import { DEFAULT_ROUNDS } from '../../tune-defaults.ts';
import { type Candidate, judgedOf, type Tried, triedOf } from './candidate.ts';
import { CANNOT_RUN, nextToDrop } from './fallback.ts';
import { cacheOf, flow } from './flow.ts';
import { contendersOf, isClose, SHARE_OF_AGAIN, TIMES_AGAIN } from './in-turn.ts';
import type { TuneOptions } from './options.ts';
import { isRepeatable } from './repeatable.ts';
import { memoryOf, resultOf, type Subject } from './result.ts';
import type { Trial } from './trial.ts';
import { interrupted, type Trials } from './trials.ts';

/** Plans trials of a pipeline, makes them, and plans again with what they have shown. */
export class Tuning<P, T> {
  readonly #definition: PipelineDefinition<P, T>;
  readonly #trials: Trials<P, T>;
  readonly #subject: Subject;
  readonly #options: TuneOptions;
  readonly #base: Trial;
  /** What the pipeline came to as it is, each time it was measured. */
  readonly #before: Tried[];
  readonly #candidates: Candidate[] = [];
  /** Rules that are left out, since what they led to could not be run. */
  readonly #without: RuleName[] = [];
  /** What was found out about calls of an async function. */
  readonly #calls = new Map<string, SeenCalls>();
  #searched: SearchedCalls | undefined;
  /** Operators of which a trial has shown that what leaves them cannot go to another thread. */
  readonly #staying: string[] = [];
  readonly #refused: Refusal[] = [];
  readonly #problems: Warning[] = [];
  readonly #cautions: Warning[] = [];

  constructor(definition: PipelineDefinition<P, T>, trials: Trials<P, T>, subject: Subject) {
    this.#definition = definition;
    this.#trials = trials;
    this.#subject = subject;
    this.#options = subject.options;
    this.#base = subject.base;
    this.#before = [triedOf(subject.base, 0, subject.options)];
  }

  async run(): Promise<PipelineTuneResult> {
    let first = planFor(this.#base.analysis, this.#planOptions);
    for (const operator of stayingOperators(this.#base.analysis)) {
      const code = 'VENTURI_WARN_ELEMENTS_STAY';
      const message = `What leaves '${operator}' cannot go to another thread or into a cache: no plan tries that. See "What elements may be" in docs/engine.md.`;
      this.#cautions.push({ code, message });
      this.#refused.push({ code, message, operators: [operator] });
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
    return resultOf(this.#subject, {
      first,
      asItIs: this.#before,
      candidates: this.#candidates,
      contenders: this.#contenders,
      calls: this.#searched,
      cautions: this.#cautions,
      problems: this.#problems,
      refused: this.#refused,
    });
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
    const without = RULES.filter(name => name !== 'concurrency');
    const calls = { [operator]: { concurrency } };
    const plan = planFor(this.#base.analysis, { ...this.#planOptions, without, calls });
    try {
      return await this.#try(plan, `calls-${concurrency}`, { share: SHARE_OF_AGAIN });
    } catch (error) {
      if (!(error instanceof VenturiError) || error.code !== 'VENTURI_USER_FUNCTION') throw error;
      const message = `With ${concurrency} calls at once it failed: ${error.message}`;
      this.#refuse({ code: 'VENTURI_WARN_CALLS_FAILED', message }, operator);
      return undefined;
    }
  }

  /** One plan after the other, each made with what those before have shown. */
  async #tryPlans(first: TunedPlan): Promise<void> {
    const { rounds = DEFAULT_ROUNDS } = this.#options;
    /** Operators whose elements were made twice and were the same. */
    const sworn = new Set<string>();
    const more = (): TunedPlan | undefined =>
      this.#candidates.length < rounds ? (this.#elsewhere() ?? this.#next()) : undefined;
    let plan = this.#candidates.length === 0 ? first : more();
    while (plan !== undefined && plan.changes.length > 0) {
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
      plan = more();
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
      const trial = await unlessItCannotRun(this.#trials.asItIsAgain(`as-it-is-again-${round}`, SHARE_OF_AGAIN));
      if (!(trial instanceof VenturiError)) this.#before.push(triedOf(trial, round, this.#options));
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
      return candidate === undefined ? [] : [judgedOf(candidate, this.#before)];
    });
  }

  /**
   * What the trials so far ask for. Where that has been tried, the best that keeps something else or has fewer threads, if it should come
   * close to what was measured: which of them is faster is known when both have run. Undefined where nothing is left to try.
   */
  #next(): TunedPlan | undefined {
    const { analysis } = this.#base;
    const options = this.#planOptions;
    const next = planFor(analysis, options);
    if (this.#isNew(next)) return next;
    if (options.target !== undefined) return undefined;
    return otherPlans(analysis, options).find(
      plan => plan.changes.length > 0 && this.#isNew(plan) && isNear(plan.overall, this.#best),
    );
  }

  #isNew(one: TunedPlan): boolean {
    return this.#candidates.every(({ plan }) => flow(plan) !== flow(one));
  }

  get #best(): number {
    return Math.max(...this.#tried.map(({ measured }) => measured.estimate));
  }

  /**
   * Once: the plan of now with batches made in the other place. How fast they are there only a trial shows, and those that follow are planned with it, so
   * the best that can be hoped for counts.
   */
  #elsewhere(): TunedPlan | undefined {
    if (this.#options.target !== undefined || this.#candidates.some(({ plan }) => plan.batchesElsewhere))
      return undefined;
    const plan = otherPlaces(this.#base.analysis, this.#planOptions);
    return plan !== undefined && this.#isNew(plan) && isNear(plan.predicted.high, this.#best) ? plan : undefined;
  }

  get #planOptions(): PlanOptions {
    const { target, cacheFolder, keep, without, epochs = 1 } = this.#options;
    const { disk } = machineOf(this.#base.manifest);
    return {
      rules: engineRules(),
      cores: this.#base.analysis.rates.cpu.left,
      memory: memoryOf(this.#subject),
      epochs,
      target,
      disk:
        cacheFolder === undefined
          ? undefined
          : { folder: cacheFolder, bytesPerSecond: disk === undefined ? undefined : mostBandwidth(disk) },
      keep: keep ?? [],
      without: [...(without ?? []), ...this.#without],
      staying: this.#staying,
      rounds: this.#candidates.map(({ trial: { analysis } }) => analysis),
      calls: Object.fromEntries(this.#calls),
      now: () => performance.now(),
    };
  }

  /** Undefined where the engine cannot run it. */
  async #try(
    plan: TunedPlan,
    name: string,
    { round = 0, share = 1 }: { readonly round?: number; readonly share?: number } = {},
  ): Promise<Candidate | undefined> {
    const { shape } = this.#subject.described;
    const applied = { shape, actions: plan.changes.map(({ action }) => action) };
    const outcome = await unlessItCannotRun(this.#trials.ofPlan(plan, applied, this.#base, { name, share }));
    if (outcome instanceof VenturiError) {
      if (round > 0) return undefined;
      const staying = whoseCannotBeSent(outcome);
      const message = `A plan could not be run: ${outcome.message}`;
      this.#refuse({ code: 'VENTURI_WARN_PLAN_NOT_RUN', message }, staying);
      const isKnown = this.#base.analysis.graph.operators.some(({ id }) => id === staying);
      if (staying !== undefined && isKnown && !this.#staying.includes(staying)) this.#staying.push(staying);
      return undefined;
    }
    const { trial, sampled } = outcome;
    return { plan, trial, times: [triedOf(trial, round, this.#options, { plan, sampled })] };
  }

  async #isRepeatable(operator: string): Promise<boolean> {
    const { params = {}, signal } = this.#options;
    const isSame = await isRepeatable(this.#definition, { params, signal, operator });
    if (signal?.aborted === true) throw interrupted();
    if (!isSame) {
      const message = `What comes out of '${operator}' is not the same when it is made again: it cannot be kept.`;
      this.#refuse({ code: 'VENTURI_WARN_NOT_REPEATABLE', message }, operator);
    }
    return isSame;
  }

  #refuse(problem: Warning, operator?: string): void {
    this.#problems.push(problem);
    this.#refused.push({ ...problem, operators: operator === undefined ? [] : [operator] });
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
