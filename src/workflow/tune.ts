import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findingsOf } from '../analysis/findings/registry.ts';
import type { PipelineDefinition } from '../engine/api/define.ts';
import { loadPipeline } from '../engine/api/load.ts';
import { type DescribedPipeline, describePipeline } from '../engine/api/planned.ts';
import { quotient } from '../math/quotient.ts';
import type { Interval } from '../math/statistics.ts';
import { type AppliedPlan, appliedPlan, type Probe } from '../model/applied-plan.ts';
import { mostBandwidth } from '../model/disk.ts';
import { VenturiError } from '../model/errors.ts';
import type { Change, Plan } from '../model/plan.ts';
import { NS_PER_SECOND } from '../model/units.ts';
import { time } from '../report/format.ts';
import type { PassName } from '../tuning/passes/pass.ts';
import { otherPlans, type PlanOptions, planFor, type TunedPlan } from '../tuning/plan.ts';
import { parametersFrom } from './run.ts';
import { type Trial, tryOut } from './trial.ts';
import { CANNOT_RUN, nextToDrop } from './tune/fallback.ts';
import { cacheOf, flow } from './tune/flow.ts';
import { contendersOf, middle, SHARE_OF_AGAIN, TIMES_AGAIN } from './tune/in-turn.ts';
import type { TuneOptions } from './tune/options.ts';
import { isRepeatable } from './tune/repeatable.ts';
import type { TriedPlan, TuneResult } from './tune/result.ts';
import { VERSION } from './version.ts';

export interface TuneRequest extends TuneOptions {
  /** The pipeline's file. */
  readonly pipeline: string;
  /** `key=value`. */
  readonly parameters?: readonly string[];
}

const ROUNDS = 3;
const SECONDS = 6;
const MOST_SECONDS = 60;
/** Of the memory that the process may use, for caches and buffers. */
const MEMORY_SHARE = 0.5;
/** A recording shorter than this part of what was asked for is made again with more epochs. */
const LONG_ENOUGH = 0.6;
const MOST_EPOCHS = 100_000;
const MOST_ATTEMPTS = 5;
/** Fewer elements, or less of a steady stretch, say nothing. */
const LEAST_ELEMENTS = 3;
const LEAST_STEADY_NS = 0.1e9;
/** Of a trial's time, for filling a cache. */
const FILLING = 0.3;
/** A plan that is reckoned to bring less than this part of what another was measured at is not tried. */
const CLOSE = 0.8;
/** A plan is worth having if it brings this much. */
const WORTHWHILE = 1.02;
/** Of the cores, in use by other programs: then the clock tells little. */
const BUSY = 0.25;

/** Tunes the pipeline that a file exports. */
export async function tune(request: TuneRequest): Promise<TuneResult> {
  const params = request.params ?? parametersFrom(request.parameters ?? []);
  const loaded = await loadPipeline(request.pipeline);
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
  const scratch = options.record ?? (await mkdtemp(join(tmpdir(), 'venturi-tune-')));
  try {
    return await new Tuning(definition, path, options, scratch).run();
  } finally {
    if (options.record === undefined) await rm(scratch, { recursive: true, force: true });
  }
}

class Tuning<P, T> {
  readonly #definition: PipelineDefinition<P, T>;
  readonly #path: string;
  readonly #options: TuneOptions;
  readonly #folder: string;
  readonly #described: DescribedPipeline;
  readonly #problems: string[] = [];
  #epochs: number;
  #recorded = 0;

  constructor(definition: PipelineDefinition<P, T>, path: string, options: TuneOptions, folder: string) {
    this.#definition = definition;
    this.#path = path;
    this.#options = options;
    this.#folder = folder;
    this.#described = describePipeline(definition, options.params as Partial<P>);
    this.#epochs = options.epochs ?? 1;
  }

  async run(): Promise<TuneResult> {
    const { rounds = ROUNDS } = this.#options;
    const base = await this.#recordLongEnough();
    const before = this.#asTried(base, [], undefined, base, false);
    const tried: TriedPlan[] = [];
    const trials: Trial[] = [];
    let tuned = planFor(base.analysis, this.#planOptions(base, trials, []));
    const first = tuned;
    const plans: TunedPlan[] = [];
    const without: PassName[] = [];
    /** Operators whose elements were made twice and were the same. */
    const sworn = new Set<string>();
    while (tried.length < rounds && tuned.changes.length > 0) {
      const cached = cacheOf(tuned);
      if (cached !== undefined && !sworn.has(cached) && !(await this.#isRepeatable(cached))) {
        without.push('cache');
        const next = this.#next(base, trials, without, { plans, tried });
        if (next === undefined) break;
        tuned = next;
        continue;
      }
      if (cached !== undefined) sworn.add(cached);
      const outcome = await this.#try(tuned, base, `plan-${tried.length + 1}`);
      if (outcome === undefined) {
        // It could not be run: what can be done without caches, then without anything that sends elements anywhere else.
        const dropped = nextToDrop(tuned);
        if (dropped === undefined) break;
        without.push(...dropped);
      } else {
        tried.push(outcome.tried);
        trials.push(outcome.trial);
        plans.push(tuned);
      }
      const next = this.#next(base, trials, without, { plans, tried });
      if (next === undefined) break;
      tuned = next;
    }
    const contenders = this.#options.target === undefined ? contendersOf(tried) : tried.map((_, at) => at);
    const again = await this.#inTurn(base, plans, tried, contenders);
    return this.#result(base, before, again, plans, first, contenders);
  }

  /** Those that came close to each other are measured again, in turn: the machine may have been faster for one of them. */
  async #inTurn(
    base: Trial,
    plans: readonly TunedPlan[],
    tried: readonly TriedPlan[],
    contenders: readonly number[],
  ): Promise<readonly TriedPlan[]> {
    if (contenders.length < 2 || this.#options.target !== undefined) return tried;
    this.#say(`measuring the best ${contenders.length} again, in turn`);
    const seconds = this.#options.untilStable === true ? undefined : this.#seconds * SHARE_OF_AGAIN;
    const measured = new Map(contenders.map(at => [at, tried.slice(at, at + 1)]));
    for (let round = 0; round < TIMES_AGAIN; round++) {
      for (const at of contenders) {
        const plan = plans[at];
        const name = `plan-${at + 1}-again-${round + 1}`;
        // It ran before: that it could not be measured this time is no problem of the plan.
        const outcome = plan && (await this.#try(plan, base, name, { seconds, isAgain: true }));
        if (outcome !== undefined) measured.get(at)?.push(outcome.tried);
      }
    }
    return tried.map((each, at) => middle(measured.get(at) ?? [each]) ?? each);
  }

  /** Of a trial. */
  get #seconds(): number {
    return this.#options.seconds ?? SECONDS;
  }

  /**
   * What the trials so far ask for. Where that has been tried, the best that keeps something else or has fewer threads, if it should come
   * close to what was measured: which of them is faster is known when both have run. Undefined where nothing is left to try.
   */
  #next(
    base: Trial,
    trials: readonly Trial[],
    without: readonly PassName[],
    { plans, tried }: { readonly plans: readonly TunedPlan[]; readonly tried: readonly TriedPlan[] },
  ): TunedPlan | undefined {
    const isNew = (one: TunedPlan): boolean => plans.every(plan => flow(plan) !== flow(one));
    const options = this.#planOptions(base, trials, without);
    const next = planFor(base.analysis, options);
    if (isNew(next)) return next;
    if (options.target !== undefined) return undefined;
    const best = Math.max(...tried.map(({ measured }) => measured.estimate));
    return otherPlans(base.analysis, options).find(
      plan => plan.changes.length > 0 && isNew(plan) && plan.overall > CLOSE * best,
    );
  }

  /** As its author wrote it. Made again with more epochs where it is over too soon to be measured. */
  async #recordLongEnough(): Promise<Trial> {
    const { untilStable = false } = this.#options;
    this.#say('recording the pipeline as it is');
    const wanted = untilStable ? 3 : this.#seconds;
    for (let attempt = 0; ; attempt++) {
      const trial = await this.#record('as-it-is', undefined);
      const isShort = trial.completed && trial.flowed < LONG_ENOUGH * wanted;
      const isEmpty = trial.analysis.rates.completions === 0 && trial.analysis.rows.totals.elements === 0;
      if (!isShort || isEmpty || attempt === MOST_ATTEMPTS) return this.#checked(trial);
      const more = Math.ceil((1.2 * this.#epochs * wanted) / Math.max(1e-3, trial.flowed));
      this.#epochs = Math.min(MOST_EPOCHS, Math.max(2 * this.#epochs, more));
      this.#say(`over in ${time(trial.flowed * NS_PER_SECOND)}: recording ${this.#epochs} passes instead`);
    }
  }

  #checked(trial: Trial): Trial {
    const { rates } = trial.analysis;
    if (this.#options.signal?.aborted === true) throw interrupted();
    const steady = rates.stretch.to - rates.stretch.from;
    if (rates.completions >= LEAST_ELEMENTS && steady >= LEAST_STEADY_NS && rates.totalDemand.estimate > 0)
      return trial;
    throw new VenturiError(
      rates.completions === 0 ? 'VENTURI_RUN_EMPTY' : 'VENTURI_RUN_TOO_SHORT',
      `${Math.round(rates.completions)} elements left the pipeline in ${(steady / 1e9).toFixed(1)} s of steady flow: too few to plan from`,
      { remedy: 'let it run longer, with --for 30s, or over more data' },
    );
  }

  async #record(
    name: string,
    plan: AppliedPlan | undefined,
    more: { readonly filled?: string; readonly epochs?: number; readonly seconds?: number | undefined } = {},
  ): Promise<Trial> {
    const { untilStable = false, params = {}, seed, root, signal } = this.#options;
    const seconds = more.seconds ?? this.#options.seconds ?? (untilStable ? MOST_SECONDS : SECONDS);
    const record = join(this.#folder, `${++this.#recorded}-${name}.venturi`);
    const trial = tryOut(this.#definition, {
      record,
      params,
      plan,
      epochs: more.epochs ?? this.#epochs,
      seconds,
      untilStable,
      seed,
      root,
      filled: more.filled,
      signal,
      onProgress: this.#options.onProgress?.bind(this.#options),
    });
    return trial.catch(error => {
      // Whatever could not be made of a recording that was broken off.
      throw signal?.aborted === true ? interrupted() : error;
    });
  }

  #planOptions(base: Trial, trials: readonly Trial[], without: readonly PassName[]): PlanOptions {
    const { memory, target, cacheFolder, keep, epochs = 1 } = this.#options;
    const { host } = base.manifest;
    return {
      cores: host.coresUsable,
      memory: memory ?? host.memoryUsable * MEMORY_SHARE,
      epochs,
      target,
      disk:
        cacheFolder === undefined
          ? undefined
          : { folder: cacheFolder, bytesPerSecond: host.disk === undefined ? undefined : mostBandwidth(host.disk) },
      keep: keep ?? [],
      without: [...(this.#options.without ?? []), ...without],
      rounds: trials.map(({ analysis }) => ({ analysis })),
      now: () => performance.now(),
    };
  }

  /** Undefined where the engine cannot run it. */
  async #try(
    tuned: TunedPlan,
    base: Trial,
    name: string,
    { seconds, isAgain = false }: { readonly seconds?: number | undefined; readonly isAgain?: boolean } = {},
  ): Promise<{ tried: TriedPlan; trial: Trial } | undefined> {
    const count = tuned.changes.length;
    this.#say(`trying a plan of ${count} ${count === 1 ? 'change' : 'changes'}`);
    const plan = appliedPlan(this.#asPlan(tuned.changes, base, tuned, undefined));
    const cached = cacheOf(tuned);
    const filling = cached === undefined ? undefined : this.#filling(cached, base, tuned);
    const sample = filling?.sample;
    try {
      const trial = await this.#recordPlan(
        name,
        sample === undefined ? plan : { ...plan, actions: [...plan.actions, sample] },
        cached === undefined || filling === undefined
          ? { epochs: this.#passesFor(tuned), seconds }
          : { filled: cached, epochs: filling.epochs, seconds },
      );
      return { trial, tried: this.#asTried(trial, tuned.changes, tuned.predicted, base, sample !== undefined) };
    } catch (error) {
      if (!(error instanceof VenturiError) || !CANNOT_RUN.has(error.code)) throw error;
      if (!isAgain) this.#problems.push(`A plan could not be run: ${error.message}`);
      return undefined;
    }
  }

  /** A plan that is faster than was thought is over too soon to be measured: then it goes through more passes. */
  async #recordPlan(
    name: string,
    plan: AppliedPlan,
    { epochs, ...more }: { readonly filled?: string; readonly epochs: number; readonly seconds: number | undefined },
  ): Promise<Trial> {
    const wanted = this.#options.untilStable === true ? 3 : (more.seconds ?? this.#seconds);
    for (let [attempt, passes] = [0, epochs]; ; attempt++) {
      const trial = await this.#record(name, plan, { ...more, epochs: passes });
      const isShort = trial.completed && trial.flowed < LONG_ENOUGH * wanted;
      if (!isShort || this.#isEndless || attempt === MOST_ATTEMPTS || passes === MOST_EPOCHS)
        return this.#checked(trial);
      const longer = Math.ceil((1.5 * passes * wanted) / Math.max(1e-3, trial.flowed));
      passes = Math.min(MOST_EPOCHS, Math.max(2 * passes, longer));
    }
  }

  async #isRepeatable(operator: string): Promise<boolean> {
    const { params = {}, signal } = this.#options;
    const isSame = await isRepeatable(this.#definition, { params, signal, operator });
    if (!isSame) {
      this.#problems.push(`What comes out of '${operator}' is not the same when it is made again: it cannot be kept.`);
    }
    return isSame;
  }

  /**
   * A cache is measured when it is full. Where that would take too long, it is filled with the first elements only, and
   * gone through more often: for measuring, never in the plan.
   */
  #filling(operator: string, base: Trial, tuned: TunedPlan): { sample: Probe | undefined; epochs: number } {
    const seconds = this.#seconds;
    const size = base.analysis.sizes.find(({ id }) => id === operator);
    const its = base.analysis.rates.operators.find(({ id }) => id === operator);
    const visits = its?.visitRatio ?? 1;
    const fits = Math.max(1, Math.floor(FILLING * seconds * visits * (tuned.cold?.rate.estimate ?? 0)));
    const all = size?.elements?.estimate ?? Number.POSITIVE_INFINITY;
    const taken = Math.min(fits, all);
    const passes = Math.ceil((2 * seconds * visits * tuned.predicted.estimate) / Math.max(1, taken));
    const epochs = this.#isEndless ? 1 : Math.max(this.#epochs, Math.min(MOST_EPOCHS, passes));
    const sample: Probe = { kind: 'sample', operator, elements: Math.max(1, Math.ceil(taken)) };
    return { sample: fits < all ? sample : undefined, epochs };
  }

  get #isEndless(): boolean {
    return this.#described.operators.some(({ kind, settings }) => kind === 'repeat' && settings.times === 'forever');
  }

  /** A faster pipeline is through sooner: it has to be gone through more often to be measured as long. */
  #passesFor({ predicted, before }: TunedPlan): number {
    const faster = before.estimate > 0 ? Math.max(1, predicted.high / before.estimate) : 1;
    return this.#isEndless ? 1 : Math.min(MOST_EPOCHS, Math.ceil(this.#epochs * faster));
  }

  #asTried(
    trial: Trial,
    changes: readonly Change[],
    predicted: Interval | undefined,
    base: Trial,
    sampled: boolean,
  ): TriedPlan {
    const { rates, graph } = trial.analysis;
    return {
      changes,
      predicted,
      measured: rates.rate,
      gained: quotient(rates.rate, base.analysis.rates.rate),
      coresBusy: rates.cpu.busy,
      othersBusy: rates.cpu.others ?? 0,
      lanes: graph.stages.reduce((sum, { parallelism }) => sum + parallelism, 0),
      verdict: findingsOf(trial.analysis).verdict,
      graph,
      recording: this.#options.record === undefined ? undefined : trial.run.folder,
      sampled,
    };
  }

  #asPlan(changes: readonly Change[], base: Trial, tuned: TunedPlan, measured: Interval | undefined): Plan {
    const { memory, epochs = 1 } = this.#options;
    const { host } = base.manifest;
    return {
      schemaVersion: 1,
      pipeline: { path: this.#path, shape: this.#described.shape, fingerprint: this.#described.fingerprint },
      changes: [...changes],
      basis: {
        writer: `venturi ${VERSION}`,
        coresUsable: host.coresUsable,
        memory: Math.floor(memory ?? host.memoryUsable * MEMORY_SHARE),
        epochs,
        before: base.analysis.rates.rate,
        predicted: tuned.predicted,
        ...(measured === undefined ? {} : { measured }),
      },
    };
  }

  #result(
    base: Trial,
    before: TriedPlan,
    tried: readonly TriedPlan[],
    plans: readonly TunedPlan[],
    first: TunedPlan,
    contenders: readonly number[],
  ): TuneResult {
    const { target } = this.#options;
    const enough = (each: TriedPlan): number => Math.min(each.measured.estimate, target ?? Number.POSITIVE_INFINITY);
    const order = tried
      .map((each, at) => ({ each, at }))
      .filter(({ at }) => contenders.includes(at))
      .sort((a, b) => enough(b.each) - enough(a.each) || a.each.lanes - b.each.lanes);
    const [top] = order;
    const others = Math.max(before.othersBusy, top?.each.othersBusy ?? 0);
    const isBusy = others > BUSY * base.manifest.host.coresUsable;
    const isWorth =
      top !== undefined && (enough(top.each) > enough(before) * WORTHWHILE || (isBusy && isLikely(top.each)));
    const best = isWorth ? top : undefined;
    const chosen = best?.each ?? before;
    const tuned = (best === undefined ? undefined : plans[best.at]) ?? first;
    return {
      schemaVersion: 1,
      plan: this.#asPlan(chosen.changes, base, tuned, chosen.measured),
      before,
      tried,
      best: best?.at,
      gained: chosen.gained,
      passes: tuned.passes,
      bound: tuned.bound,
      boundBy: tuned.boundBy,
      binding: tuned.binding,
      cold: best === undefined ? undefined : tuned.cold,
      target: target === undefined ? undefined : { rate: target, reached: chosen.measured.high >= target },
      coresUsable: base.manifest.host.coresUsable,
      cautions: isBusy
        ? [`Other programs used up to ${others.toFixed(1)} cores meanwhile: an idle machine would give other rates.`]
        : [],
      problems: [...this.#problems, ...base.run.problems],
    };
  }

  #say(line: string): void {
    this.#options.onStep?.(line);
  }
}

/** On a busy machine: it was not seen to be slower, and should be faster by more than a fifth. */
const isLikely = ({ gained, predicted, measured }: TriedPlan): boolean =>
  gained.high >= 1 && predicted !== undefined && (predicted.estimate * gained.estimate) / measured.estimate > 1.2;

const interrupted = (): VenturiError =>
  new VenturiError('VENTURI_INTERRUPTED', 'interrupted before there was a plan', { remedy: 'start it again' });
