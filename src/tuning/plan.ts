import type { Analysis } from '../analysis/analysis.ts';
import type { RuntimeRules } from '../graph/runtime-rules.ts';
import { topologyOf } from '../graph/topology.ts';
import { isNarrow } from '../math/narrow-interval.ts';
import type { Interval } from '../math/statistics.ts';
import type { Operator } from '../model/graph.ts';
import type { Change } from '../model/plan.ts';
import { type CachePlace, cachePlaces, WORTH_KEEPING, withoutOutdone } from '../prediction/bound/caches.ts';
import { withKept } from './behind-caches.ts';
import { coldRate, paysAfter } from './cold.ts';
import { Draft } from './draft.ts';
import type { Binding, Evaluation } from './evaluate.ts';
import { modelOf, type PipelineModel, type SeenCalls } from './model.ts';
import { type Circumstances, PASSES, type PassName, type Threads } from './passes/pass.ts';
import { ORDER } from './passes/registry.ts';
import { grown, type Round } from './scaling.ts';
import { stayingOperators } from './staying.ts';
import { verify } from './verify.ts';
import { waitsOf } from './waits.ts';
import { worth } from './worth.ts';

export interface PlanOptions {
  /** What the runtime that the plan is for makes of a graph. */
  readonly rules: RuntimeRules;
  /** Cores the process may use, and other programs leave to it. */
  readonly cores: number;
  /** Bytes for caches and buffers. */
  readonly memory: number;
  /** How often the pipeline is run through. */
  readonly epochs: number;
  readonly target?: number | undefined;
  readonly disk?: Circumstances['disk'];
  /** Operators to be left alone, by id or label. */
  readonly keep?: readonly string[];
  /** Operators of which a trial has shown that what leaves them cannot go to another thread. */
  readonly staying?: readonly string[];
  /** Passes to be left out. */
  readonly without?: readonly PassName[];
  /** The operator whose elements are to be kept, whatever that is reckoned to bring. */
  readonly cacheAt?: string | undefined;
  /** Those that are needed, unless given. */
  readonly threads?: Threads;
  /** Calls at once of async functions, by operator: what trials have shown, or what is to be tried. */
  readonly calls?: ReadonlyMap<string, SeenCalls>;
  /** Recordings with other plans: how costs grow with the cores in use is fitted to them. */
  readonly rounds?: readonly Round[];
  /** A clock in ms, to time the passes by. */
  readonly now: () => number;
}

/** What a pass did. */
export interface PassReport {
  readonly name: PassName | 'in-order';
  readonly changes: number;
  /** Elements per second reckoned behind it. */
  readonly rate: number;
  readonly ms: number;
}

/** A plan as the tuner reckons with it. */
export interface TunedPlan {
  readonly changes: readonly Change[];
  readonly passes: readonly PassReport[];
  readonly before: Interval;
  readonly predicted: Interval;
  /** Elements per second over all passes, that in which a cache is filled among them. */
  readonly overall: number;
  readonly binding: Binding;
  /** The most that any plan could lead to, and what would bind then. */
  readonly bound: Interval;
  readonly boundBy: Binding;
  /** Of a cache: the rate of the first pass, in which it is filled, the pass by whose end it has paid, and how many there are. */
  readonly cold:
    | { readonly rate: Interval; readonly paysAfter: number | undefined; readonly passes: number }
    | undefined;
  readonly evaluation: Evaluation;
}

/** The plan that a recording asks for. */
export function planFor(analysis: Analysis, options: PlanOptions): TunedPlan {
  const { rounds = [] } = options;
  const model = {
    ...withKept(grown(modelOf(analysis, options.cores, options.rules, options.staying), rounds), rounds),
    calls: options.calls ?? new Map(),
  };
  const circumstances = circumstancesOf(analysis, model, options);
  const passes: PassReport[] = [];
  let draft = new Draft(model);
  for (const { name, pass } of ORDER) {
    if (name !== 'in-order' && options.without?.includes(name) === true) continue;
    const began = options.now();
    draft = pass(draft, circumstances);
    verify(draft);
    passes.push({
      name,
      changes: draft.steps.length,
      rate: draft.evaluation.rate,
      ms: options.now() - began,
    });
  }
  const { evaluation } = draft;
  const reckoned = bandOf(analysis, model, calibration(analysis, model));
  const band = hasUnseenCalls(draft) ? unpromised(reckoned, analysis.rates.rate.low) : reckoned;
  const free = circumstancesOf(analysis, model, {
    ...options,
    target: undefined,
    cacheAt: undefined,
    threads: 'needed',
  });
  const best = carriedOut(model, free).evaluation;
  return {
    changes: draft.changes(rate => (isNarrow(band(rate)) ? band(rate) : undefined)),
    passes,
    before: analysis.rates.rate,
    predicted: band(evaluation.rate),
    overall: band(worth(draft, circumstances)).estimate,
    binding: evaluation.binding,
    bound: band(best.rate),
    boundBy: best.binding,
    cold: coldOf(
      draft,
      circumstances,
      () => carriedOut(model, { ...circumstances, cachePlaces: [] }).evaluation.rate,
      band,
    ),
    evaluation,
  };
}

/**
 * Plans that keep what leaves another operator, or nothing, each with as many threads as seem to bring anything and with only those that
 * seem to bring much; and the rule of thumb, threads everywhere and nothing else. The best for each of these choices, and the best of them first.
 */
export function otherPlans(analysis: Analysis, options: PlanOptions): TunedPlan[] {
  const { without = [] } = options;
  const places = without.includes('cache') ? [] : placesFor(analysis, options);
  const both = (choice: PlanOptions): TunedPlan[] => [
    planFor(analysis, choice),
    planFor(analysis, { ...choice, threads: 'sparing' }),
  ];
  const nothing = both({ ...options, without: [...without, 'cache'] });
  const best = Math.max(...nothing.map(({ overall }) => overall));
  const keeping = places
    .flatMap(({ operator }) => both({ ...options, cacheAt: operator }))
    .filter(({ overall }) => overall > WORTH_KEEPING * best);
  return [...nothing, ...keeping, ...ruleOfThumb(analysis, options)].sort((a, b) => b.overall - a.overall);
}

/** As many threads as there are cores for whatever can be divided. */
function ruleOfThumb(analysis: Analysis, options: PlanOptions): TunedPlan[] {
  if (options.without?.includes('parallelism') === true) return [];
  const without = PASSES.filter(name => name !== 'parallelism');
  return [planFor(analysis, { ...options, without, threads: 'everywhere' })];
}

/** Where what leaves an operator can be kept, is gone through again, and no other place would be better in every respect. */
function placesFor(analysis: Analysis, options: PlanOptions): CachePlace[] {
  const { memory, disk, keep = [], epochs } = options;
  const staying = new Set([...(options.staying ?? []), ...stayingOperators(analysis)]);
  const { operators } = analysis.graph;
  const kept = leftAlone(operators, keep);
  const passes = passesOf(operators, epochs);
  const places = cachePlaces(analysis, disk === undefined ? memory : Number.POSITIVE_INFINITY);
  return withoutOutdone(
    places.filter(
      ({ operator, certain }) => certain && !kept.has(operator) && !staying.has(operator) && passes(operator) > 1,
    ),
  );
}

/** Operators by their ids, where these or their labels are in the list. */
const leftAlone = (operators: readonly Operator[], keep: readonly string[]): ReadonlySet<string> =>
  new Set(operators.filter(({ id, label }) => keep.includes(id) || keep.includes(label)).map(({ id }) => id));

function circumstancesOf(analysis: Analysis, model: PipelineModel, options: PlanOptions): Circumstances {
  const { memory, target, disk, keep = [], cacheAt, threads = 'needed' } = options;
  const places = placesFor(analysis, options);
  return {
    target,
    memory,
    disk,
    keep: leftAlone(model.operators, keep),
    waits: waitsOf(options.rounds?.at(-1)?.analysis ?? analysis),
    calls: options.calls ?? new Map(),
    cachePlaces: cacheAt === undefined ? places : places.filter(({ operator }) => operator === cacheAt),
    mustCache: cacheAt !== undefined,
    threads,
    passes: passesOf(model.operators, options.epochs),
  };
}

/** How often all that repeats behind an operator makes it go through its elements. */
function passesOf(operators: readonly Operator[], epochs: number): (id: string) => number {
  const topology = topologyOf(operators, epochs);
  return id => {
    const at = topology.at(id);
    return at === undefined ? 1 : topology.passes(at);
  };
}

/** What is lost to waiting at the joints, as in `prediction/bound`. */
const WAITING = 0.015;
/** Per core more than were in use when it was recorded, costs may grow by this, where nobody has measured by how much. */
const UNKNOWN_GROWTH = 0.06;
const MOST_LOSS = 0.4;

/** The model is taken to miss no more than this of what happens between threads, and of what other programs take. */
const LEAST_CALIBRATION = 0.3;

/** What came of the recorded pipeline in parts of what is reckoned of it: lanes wait, and queue for cores others use. */
function calibration({ rates }: Analysis, model: PipelineModel): number {
  const reckoned = new Draft(model).evaluation.rate;
  return reckoned > 0 ? Math.max(LEAST_CALIBRATION, Math.min(1, rates.rate.estimate / reckoned)) : 1;
}

/** The interval about a rate that was reckoned from this recording. */
const bandOf =
  (analysis: Analysis, model: PipelineModel, calibrated: number) =>
  (reckoned: number): Interval => {
    const rate = reckoned * calibrated;
    const { estimate, low, high, confidence } = analysis.rates.totalDemand;
    const noise = estimate > 0 ? Math.min(0.5, (high - low) / (2 * estimate)) : 0.5;
    const more = Math.max(0, Math.min(model.cores, rate * estimate) - model.load);
    const loss = model.growth.size > 0 ? 0.02 : Math.min(MOST_LOSS, UNKNOWN_GROWTH * more);
    return {
      estimate: rate,
      low: rate * (1 - noise) * (1 - WAITING) * (1 - loss),
      // What held the recorded pipeline back need not hold this one.
      high: Math.max(rate, reckoned) * (1 + noise),
      confidence,
    };
  };

/** It has more calls at once than anybody has seen. */
const hasUnseenCalls = ({ base, steps }: Draft): boolean =>
  steps.some(({ action }) => action.kind === 'concurrency' && base.calls.get(action.operator)?.blocked === undefined);

/** A service may answer no more calls than it does now. */
const unpromised =
  (band: (rate: number) => Interval, now: number) =>
  (rate: number): Interval => ({ ...band(rate), low: Math.min(band(rate).low, now) });

/** What all passes make of a pipeline. */
const carriedOut = (model: PipelineModel, circumstances: Circumstances): Draft =>
  ORDER.reduce((draft, { pass }) => pass(draft, circumstances), new Draft(model));

/** Of the cache in a draft; `without` is what the best plan without one comes to. */
function coldOf(
  draft: Draft,
  { passes }: Circumstances,
  without: () => number,
  band: (rate: number) => Interval,
): TunedPlan['cold'] {
  for (const { action } of draft.steps) {
    if (action.kind !== 'cache') continue;
    const cold = coldRate(draft, action);
    return {
      rate: band(cold),
      paysAfter: paysAfter(cold, draft.evaluation.rate, without()),
      passes: passes(action.operator),
    };
  }
  return undefined;
}
