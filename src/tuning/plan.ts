import type { Analysis } from '../analysis/analysis.ts';
import type { RuntimeRules } from '../graph/runtime-rules.ts';
import { topologyOf } from '../graph/topology.ts';
import type { Interval } from '../math/statistics.ts';
import type { Operator } from '../model/graph.ts';
import type { Change } from '../model/plan.ts';
import { cores as asCores } from '../model/units.ts';
import type { Arrangement } from '../prediction/cost/arrangement.ts';
import { type CachePlace, cachePlaces, withoutOutdone } from '../prediction/cost/cache-places.ts';
import { type Constraint, ceilingConstraints, ceilingRate, tightest } from '../prediction/cost/ceiling.ts';
import type { Binding } from '../prediction/cost/evaluate.ts';
import { forecast } from '../prediction/cost/forecast.ts';
import type { CostModel, Doubt, SeenCalls } from '../prediction/cost/model.ts';
import { costModelOf } from '../prediction/cost/recording.ts';
import { stayingOperators } from '../prediction/cost/staying.ts';
import { withTrials } from '../prediction/cost/trials.ts';
import { WORTHWHILE } from '../prediction/thresholds.ts';
import { paysAfter } from './cold.ts';
import { Draft } from './draft.ts';
import { batchesElsewhere } from './rules/batches.ts';
import { ORDER } from './rules/registry.ts';
import { type Circumstances, RULES, type RuleName, type Threads } from './rules/rule.ts';
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
  /** Rules to be left out. */
  readonly without?: readonly RuleName[];
  /** The operator whose elements are to be kept, whatever that is reckoned to bring. */
  readonly cacheAt?: string | undefined;
  /** Batches are moved: from the lanes that make their elements to a thread of their own, or back, though the forecast of that is lower. */
  readonly batchesElsewhere?: boolean;
  /** Those that are needed, unless given. */
  readonly threads?: Threads;
  /** Calls at once of async functions, by operator: what trials have shown, or what is to be tried. */
  readonly calls?: Readonly<Record<string, SeenCalls>>;
  /** Recordings with other plans: what they have shown changes the model. */
  readonly rounds?: readonly Analysis[];
  /** A clock in ms, to time the rules by. */
  readonly now: () => number;
}

/** What a rule did. */
export interface RuleReport {
  readonly name: RuleName | 'in-order';
  readonly changes: number;
  /** Elements per second reckoned behind it. */
  readonly rate: number;
  readonly ms: number;
}

/** A plan as the tuner reckons with it. */
export interface TunedPlan {
  readonly changes: readonly Change[];
  readonly rules: readonly RuleReport[];
  readonly before: Interval;
  /** The forecast, however wide its band. */
  readonly predicted: Interval;
  /** Why it cannot be told; none where it can. */
  readonly doubts: readonly Doubt[];
  /** Elements per second over all passes, that in which a cache is filled among them. */
  readonly overall: number;
  readonly binding: Binding;
  /** The most that recorded demands allow, in any arrangement and with the best of the caches, and what would bind then. */
  readonly ceiling: Interval;
  readonly ceilingBy: Constraint | undefined;
  /** Of a cache: the rate of the first pass, in which it is filled, the pass by whose end it has paid, and how many there are. */
  readonly cold:
    | { readonly rate: Interval; readonly paysAfter: number | undefined; readonly passes: number }
    | undefined;
  readonly arrangement: Arrangement;
  /** It was asked for with `batchesElsewhere`. */
  readonly batchesElsewhere: boolean;
}

/** The plan that a recording asks for. */
export function planFor(analysis: Analysis, options: PlanOptions): TunedPlan {
  const model = modelFor(analysis, options);
  const circumstances = circumstancesOf(analysis, model, options);
  const reports: RuleReport[] = [];
  let draft = new Draft(model, options.rules);
  for (const { name, rule } of ORDER) {
    if (name !== 'in-order' && options.without?.includes(name) === true) continue;
    const began = options.now();
    draft = rule(draft, circumstances);
    verify(draft);
    reports.push({
      name,
      changes: draft.steps.length,
      rate: draft.evaluation.rate,
      ms: options.now() - began,
    });
  }
  if (options.batchesElsewhere === true) {
    draft = batchesElsewhere(draft, circumstances);
    verify(draft);
  }
  const { evaluation, arrangement } = draft;
  const ceiling = ceilingFor(model, placesFor(analysis, options));
  return {
    changes: draft.changes,
    rules: reports,
    before: analysis.rates.rate,
    predicted: draft.band,
    doubts: forecast(model, arrangement).doubts,
    overall: worth(draft, circumstances) * model.residual.estimate,
    binding: evaluation.binding,
    ceiling: ceilingRate(model, ceiling),
    ceilingBy: ceiling[0],
    cold: coldOf(draft, circumstances, () => withoutCache(model, circumstances, options).evaluation.rate),
    arrangement,
    batchesElsewhere: options.batchesElsewhere === true,
  };
}

function modelFor(analysis: Analysis, { cores, staying, rounds = [], calls = {} }: PlanOptions): CostModel {
  return { ...withTrials(costModelOf(analysis, { cores: asCores(cores) }, staying), rounds), calls };
}

/** The constraints without a cache, or with the one that allows most. */
function ceilingFor(model: CostModel, places: readonly CachePlace[]): readonly Constraint[] {
  const ceilings = [undefined, ...places].map(place =>
    ceilingConstraints(model, { isNeeded: id => place?.spares.has(id) !== true, moreCalls: true }),
  );
  return ceilings.reduce((most, each) => (tightest(each).estimate > tightest(most).estimate ? each : most));
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
    .filter(({ overall }) => overall > (1 + WORTHWHILE) * best);
  return [...nothing, ...keeping, ...ruleOfThumb(analysis, options)].sort((a, b) => b.overall - a.overall);
}

/** The best plan with its batches moved; undefined where there are none to move. */
export function otherPlaces(analysis: Analysis, options: PlanOptions): TunedPlan | undefined {
  const makesBatches = analysis.graph.operators.some(({ gathers }) => gathers !== undefined);
  if (!makesBatches || options.without?.includes('batches') === true) return undefined;
  return planFor(analysis, { ...options, batchesElsewhere: true });
}

/** As many threads as there are cores for whatever can be divided. */
function ruleOfThumb(analysis: Analysis, options: PlanOptions): TunedPlan[] {
  if (options.without?.includes('parallelism') === true) return [];
  const without = RULES.filter(name => name !== 'parallelism');
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

function circumstancesOf(analysis: Analysis, model: CostModel, options: PlanOptions): Circumstances {
  const { memory, target, disk, keep = [], cacheAt, threads = 'needed' } = options;
  const places = placesFor(analysis, options);
  return {
    target,
    memory,
    disk,
    keep: leftAlone(model.operators, keep),
    waits: waitsOf(options.rounds?.at(-1) ?? analysis),
    calls: options.calls ?? {},
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

/** What all rules make of a pipeline without a cache. */
const withoutCache = (model: CostModel, circumstances: Circumstances, { rules }: PlanOptions): Draft =>
  ORDER.reduce((draft, { rule }) => rule(draft, { ...circumstances, cachePlaces: [] }), new Draft(model, rules));

/** Of the cache in a draft; `without` is what the best plan without one comes to. */
function coldOf(draft: Draft, { passes }: Circumstances, without: () => number): TunedPlan['cold'] {
  for (const { action } of draft.steps) {
    if (action.kind !== 'cache') continue;
    return {
      rate: draft.coldBand,
      paysAfter: paysAfter(draft.coldRate, draft.evaluation.rate, without()),
      passes: passes(action.operator),
    };
  }
  return undefined;
}
