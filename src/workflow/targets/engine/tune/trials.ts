import { join } from 'node:path';
import type { PipelineDefinition } from '../../../../engine/api/define.ts';
import type { DescribedPipeline } from '../../../../engine/api/planned.ts';
import type { AppliedPlan, Truncation } from '../../../../model/applied-plan.ts';
import { VenturiError } from '../../../../model/errors.ts';
import { NS_PER_SECOND } from '../../../../model/units.ts';
import { plural, time } from '../../../../report/format.ts';
import type { TunedPlan } from '../../../../tuning/plan.ts';
import { cacheOf } from './flow.ts';
import type { TuneOptions } from './options.ts';
import { type Trial, tryOut } from './trial.ts';

/** Of a recording; where it ends once its rate is steady, it goes on for so long at most, and is worth something from so many on. */
const SECONDS = 6;
const MOST_SECONDS = 60;
const LEAST_SECONDS_UNTIL_STABLE = 3;
/** A recording shorter than this part of what was asked for is made again with more passes. */
const LONG_ENOUGH = 0.6;
const MOST_PASSES = 100_000;
const MOST_ATTEMPTS = 5;
/** Fewer elements, or a shorter steady part, say nothing. */
const LEAST_ELEMENTS = 3;
const LEAST_STEADY_NS = 0.1e9;
/** Of a trial's time, for filling a cache. */
const FILLING = 0.3;

/** How one recording is made. */
interface Recording {
  readonly plan?: AppliedPlan;
  /** Times the pipeline is gone through. */
  readonly passes: number;
  /** Of the time of a recording. */
  readonly share?: number;
  /** An operator whose output is kept. */
  readonly filled?: string | undefined;
}

/** The recordings of one pipeline, as it is and with plans: each long enough to be measured. */
export class Trials<P, T> {
  readonly #definition: PipelineDefinition<P, T>;
  readonly #isEndless: boolean;
  readonly #options: TuneOptions;
  readonly #folder: string;
  /** As many as the pipeline needs as it is. */
  #passes: number;
  #recorded = 0;

  constructor(
    definition: PipelineDefinition<P, T>,
    { operators }: DescribedPipeline,
    options: TuneOptions,
    folder: string,
  ) {
    this.#definition = definition;
    this.#isEndless = operators.some(({ repeats }) => repeats === 'forever');
    this.#options = options;
    this.#folder = folder;
    this.#passes = options.epochs ?? 1;
  }

  /** As its author wrote it. */
  async asItIs(): Promise<Trial> {
    for (let attempt = 0; ; attempt++) {
      const trial = await this.#record('as-it-is', { passes: this.#passes });
      const isEmpty = trial.analysis.rates.completions === 0 && trial.analysis.rows.totals.elements === 0;
      if (isEmpty || attempt === MOST_ATTEMPTS || this.#isLongEnough(trial)) return this.#checked(trial);
      this.#passes = this.#more(this.#passes, trial, 1.2);
      const flowed = time(trial.flowed * NS_PER_SECOND);
      this.#options.onStep?.(`over in ${flowed}: recording ${this.#passes} passes instead`);
    }
  }

  /** The same once more, for a part of the time. */
  async asItIsAgain(name: string, share: number): Promise<Trial> {
    return this.#checked(await this.#record(name, { passes: this.#passes, share }));
  }

  /** With a plan. `sampled`: behind a cache that was filled with the first elements only. */
  async ofPlan(
    tuned: TunedPlan,
    plan: AppliedPlan,
    base: Trial,
    { name, share }: { readonly name: string; readonly share: number },
  ): Promise<{ readonly trial: Trial; readonly sampled: boolean }> {
    const filled = cacheOf(tuned);
    const filling = filled === undefined ? undefined : this.#filling(filled, base, tuned);
    const sample = filling?.sample;
    const recording = {
      plan: sample === undefined ? plan : { ...plan, actions: [...plan.actions, sample] },
      share,
      filled,
    };
    let passes = filling?.passes ?? this.#passesFor(tuned);
    for (let attempt = 0; ; attempt++) {
      const trial = await this.#record(name, { ...recording, passes });
      const isLast = this.#isEndless || attempt === MOST_ATTEMPTS || passes === MOST_PASSES;
      if (isLast || this.#isLongEnough(trial, share))
        return { trial: this.#checked(trial), sampled: sample !== undefined };
      // It is faster than was thought.
      passes = this.#more(passes, trial, 1.5, share);
    }
  }

  async #record(name: string, { plan, passes, share = 1, filled }: Recording): Promise<Trial> {
    const { untilStable = false, params = {}, seed, root, signal } = this.#options;
    const trial = tryOut(this.#definition, {
      record: join(this.#folder, `${++this.#recorded}-${name}.venturi`),
      params,
      plan,
      epochs: passes,
      seconds: untilStable ? (this.#options.seconds ?? MOST_SECONDS) : share * this.#seconds,
      untilStable,
      seed,
      root,
      filled,
      signal,
      onProgress: this.#options.onProgress?.bind(this.#options),
    });
    return trial.catch(error => {
      // Whatever could not be made of a recording that was broken off.
      throw signal?.aborted === true ? interrupted() : error;
    });
  }

  /** Of a recording. */
  get #seconds(): number {
    return this.#options.seconds ?? SECONDS;
  }

  #wanted(share = 1): number {
    return this.#options.untilStable === true ? LEAST_SECONDS_UNTIL_STABLE : share * this.#seconds;
  }

  #isLongEnough({ completed, flowed }: Trial, share?: number): boolean {
    return !completed || flowed >= LONG_ENOUGH * this.#wanted(share);
  }

  /** Passes that take as long as is wanted, and `margin` times as long. */
  #more(passes: number, { flowed }: Trial, margin: number, share?: number): number {
    const longer = Math.ceil((margin * passes * this.#wanted(share)) / Math.max(1e-3, flowed));
    return Math.min(MOST_PASSES, Math.max(2 * passes, longer));
  }

  #checked(trial: Trial): Trial {
    const { rates } = trial.analysis;
    if (this.#options.signal?.aborted === true) throw interrupted();
    const steady = rates.steady.to - rates.steady.from;
    if (rates.completions >= LEAST_ELEMENTS && steady >= LEAST_STEADY_NS && rates.totalDemand.estimate > 0)
      return trial;
    throw new VenturiError(
      rates.completions === 0 ? 'VENTURI_RUN_EMPTY' : 'VENTURI_RUN_TOO_SHORT',
      `${plural(Math.round(rates.completions), 'element')} left the pipeline in ${(steady / 1e9).toFixed(1)} s of steady flow: too few to plan from`,
      { remedy: 'let it run longer, with --for 30s, or over more data' },
    );
  }

  /**
   * A cache is measured when it is full. Where that would take too long, it is filled with the first elements only, and
   * gone through more often: for measuring, never in the plan.
   */
  #filling(operator: string, base: Trial, tuned: TunedPlan): { sample: Truncation | undefined; passes: number } {
    const size = base.analysis.sizes.find(({ id }) => id === operator);
    const its = base.analysis.rates.operators.find(({ id }) => id === operator);
    const visits = its?.visitRatio ?? 1;
    const fits = Math.max(1, Math.floor(FILLING * this.#seconds * visits * (tuned.cold?.rate.estimate ?? 0)));
    const all = size?.elements?.estimate ?? Number.POSITIVE_INFINITY;
    const taken = Math.min(fits, all);
    const needed = Math.ceil((2 * this.#seconds * visits * tuned.predicted.estimate) / Math.max(1, taken));
    const passes = this.#isEndless ? 1 : Math.max(this.#passes, Math.min(MOST_PASSES, needed));
    const sample: Truncation = { kind: 'sample', operator, elements: Math.max(1, Math.ceil(taken)) };
    return { sample: fits < all ? sample : undefined, passes };
  }

  /** A faster pipeline is through sooner: it has to be gone through more often to be measured as long. */
  #passesFor({ predicted, before }: TunedPlan): number {
    const faster = before.estimate > 0 ? Math.max(1, predicted.high / before.estimate) : 1;
    return this.#isEndless ? 1 : Math.min(MOST_PASSES, Math.ceil(this.#passes * faster));
  }
}

export const interrupted = (): VenturiError =>
  new VenturiError('VENTURI_INTERRUPTED', 'interrupted before there was a plan', { remedy: 'start it again' });
