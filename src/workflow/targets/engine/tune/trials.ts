import { join } from 'node:path';
import type { PipelineDefinition } from '../../../../engine/api/define.ts';
import type { DescribedPipeline } from '../../../../engine/api/planned.ts';
import type { AppliedPlan, Truncation } from '../../../../model/applied-plan.ts';
import { VenturiError } from '../../../../model/errors.ts';
import { MS_PER_SECOND, NS_PER_SECOND } from '../../../../model/units.ts';
import { plural, time } from '../../../../report/format.ts';
import type { TunedPlan } from '../../../../tuning/plan.ts';
import { LOOK_MS } from '../../looking.ts';
import { DEFAULT_SECONDS } from '../../tune-defaults.ts';
import { cacheOf } from './flow.ts';
import type { TuneOptions } from './options.ts';
import { LEAST_STEADY_SECONDS, PATIENCE, type Trial, tryOut } from './trial.ts';

/** Whole numbers end there. A run is over when its time is, however many passes it may make. */
const MOST_PASSES = Number.MAX_SAFE_INTEGER;

/** How one recording is made. */
interface Recording {
  readonly plan?: AppliedPlan;
  /** Times the pipeline is gone through. */
  readonly passes: number;
  /** Of the time of a recording. */
  readonly share?: number;
  /** An operator whose output is kept. */
  readonly filled?: string | undefined;
  /** Times as long as was asked for. */
  readonly patience: number;
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
    const trial = await this.#recordLongEnough('as-it-is', { passes: this.#passes }, (before, { passes, patience }) => {
      this.#passes = passes;
      const flowed = time(before.flowed * NS_PER_SECOND);
      const instead = before.completed ? plural(passes, 'pass', 'passes') : `${patience} times as long`;
      this.#options.onStep?.(`over in ${flowed}: recording ${instead} instead`);
    });
    return this.#checked(trial);
  }

  /** The same once more, for a part of the time. */
  async asItIsAgain(name: string, share: number): Promise<Trial> {
    return this.#checked(await this.#recordLongEnough(name, { passes: this.#passes, share }));
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
    const trial = await this.#recordLongEnough(name, {
      plan: sample === undefined ? plan : { ...plan, actions: [...plan.actions, sample] },
      passes: filling?.passes ?? this.#passesFor(tuned),
      share,
      filled,
    });
    return { trial: this.#checked(trial), sampled: sample !== undefined };
  }

  /** Made again with more passes, or more time, until it can be measured or neither brings anything. `onAgain` hears of what was too short. */
  async #recordLongEnough(
    name: string,
    first: Omit<Recording, 'patience'>,
    onAgain: (before: Trial, next: Recording) => void = () => undefined,
  ): Promise<Trial> {
    let recording: Recording = { ...first, patience: 1 };
    for (let before: Trial | undefined; ; ) {
      const trial = await this.#record(name, recording);
      const longer = this.#longer(recording, trial, before);
      if (longer === undefined) return trial;
      recording = longer;
      before = trial;
      onAgain(trial, recording);
    }
  }

  async #record(name: string, { plan, passes, share = 1, filled, patience }: Recording): Promise<Trial> {
    const { untilStable = false, params = {}, seed, root, signal } = this.#options;
    const trial = tryOut(this.#definition, {
      record: join(this.#folder, `${++this.#recorded}-${name}.venturi`),
      params,
      plan,
      epochs: passes,
      seconds: patience * (untilStable ? (this.#options.seconds ?? PATIENCE * DEFAULT_SECONDS) : share * this.#seconds),
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
    return this.#options.seconds ?? DEFAULT_SECONDS;
  }

  #wanted(share = 1): number {
    return this.#options.untilStable === true ? LEAST_STEADY_SECONDS : share * this.#seconds;
  }

  /**
   * What to record instead of what was too short: more passes where the pipeline came to its end in less than half of the time asked for, or
   * before it could be measured; more time where that was over before. Undefined where it is long enough, or more brings nothing.
   */
  #longer(recording: Recording, trial: Trial, before: Trial | undefined): Recording | undefined {
    if (this.#options.signal?.aborted === true) return undefined;
    const { passes, share, patience } = recording;
    if (!trial.completed) {
      return isMeasurable(trial) || patience >= PATIENCE ? undefined : { ...recording, patience: patience + 1 };
    }
    const isLongEnough = trial.flowed >= this.#wanted(share) / 2 && isMeasurable(trial);
    const elements = ({ analysis: { rows } }: Trial): number => rows.totals.elements;
    const isEmpty = trial.analysis.rates.completions === 0 && elements(trial) === 0;
    // Elements, not time: the first of two recordings may have been the slower one.
    const bringsNothing = before?.completed === true && elements(trial) <= elements(before);
    if (isLongEnough || isEmpty || bringsNothing || this.#isEndless) return undefined;
    return { ...recording, passes: this.#more(passes, trial, share) };
  }

  /** Passes that take twice as long as is wanted: then it is stopped. Moments are known to the ms. */
  #more(passes: number, { flowed }: Trial, share?: number): number {
    const longer = Math.ceil((2 * passes * this.#wanted(share)) / Math.max(1 / MS_PER_SECOND, flowed));
    return Math.min(MOST_PASSES, Math.max(2 * passes, longer));
  }

  #checked(trial: Trial): Trial {
    const { rates } = trial.analysis;
    if (this.#options.signal?.aborted === true) throw interrupted();
    if (isMeasurable(trial)) return trial;
    throw new VenturiError(
      rates.completions === 0 ? 'VENTURI_RUN_EMPTY' : 'VENTURI_RUN_TOO_SHORT',
      `${plural(Math.round(rates.completions), 'element')} left the pipeline in ${steadySeconds(trial).toFixed(1)} s of steady flow: too few to plan from`,
      { remedy: 'let it run longer, with --for 30s, or over more data' },
    );
  }

  /**
   * A cache is measured when it is full. Where that would take more than half of a trial's time, it is filled with the first elements
   * only, and gone through more often: for measuring, never in the plan.
   */
  #filling(operator: string, base: Trial, tuned: TunedPlan): { sample: Truncation | undefined; passes: number } {
    const size = base.analysis.sizes.find(({ id }) => id === operator);
    const its = base.analysis.rates.operators.find(({ id }) => id === operator);
    const visits = its?.visitRatio ?? 1;
    const fits = Math.max(1, Math.floor((this.#seconds / 2) * visits * (tuned.cold?.rate.estimate ?? 0)));
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

/** Two elements have one interval between them, which says nothing of how intervals vary; nor does what is over between two looks. */
function isMeasurable(trial: Trial): boolean {
  const { completions, totalDemand } = trial.analysis.rates;
  return completions > 2 && steadySeconds(trial) * MS_PER_SECOND >= LOOK_MS && totalDemand.estimate > 0;
}

const steadySeconds = ({ analysis: { rates } }: Trial): number => (rates.steady.to - rates.steady.from) / NS_PER_SECOND;

export const interrupted = (): VenturiError =>
  new VenturiError('VENTURI_INTERRUPTED', 'interrupted before there was a plan', { remedy: 'start it again' });
