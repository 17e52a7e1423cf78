import type { Analysis } from '../analysis/analysis.ts';
import type { RuntimeRules } from '../graph/runtime-rules.ts';
import { operatorsUpstreamFirst } from '../graph/upstream-first.ts';
import type { Operator } from '../model/graph.ts';
import { backgroundOf, type Constraint, constraintsOf, outsideStages } from '../prediction/bound/constraints.ts';
import { BETWEEN_THREADS, crossingFactor, handedBy } from '../prediction/bound/crossing.ts';
import type { ModelOperator } from './operator.ts';
import { stayingOperators, tied } from './staying.ts';

/** A pipeline as the tuner sees it: costs that hold whatever threads it runs in. */
export interface PipelineModel {
  /** Upstream first. */
  readonly operators: readonly ModelOperator[];
  /** What the runtime makes of them. */
  readonly rules: RuntimeRules;
  /** CPU seconds per element outside all lanes: the collector, the compiler, the main thread. */
  readonly outside: number;
  /** What handing elements on really took, in parts of what was reckoned. */
  readonly crossingFactor: number;
  readonly cores: number;
  /** The most that leaves, whatever the lanes, where only some operators are needed. */
  readonly limits: (isNeeded: (id: string) => boolean) => readonly ModelLimit[];
  /** Cores in use when it was recorded, and how costs grow with them. */
  readonly load: number;
  readonly growth: ReadonlyMap<string, number>;
  /** What was seen behind caches that have been tried, by the operator whose elements they keep. */
  readonly kept: ReadonlyMap<string, BehindCache>;
  /** What was seen of async functions with other numbers of calls at once. */
  readonly calls: ReadonlyMap<string, SeenCalls>;
}

/** So many calls at once in each lane, and what the lanes then slept for the operator per element that left, s; undefined: not tried yet. */
export interface SeenCalls {
  readonly concurrency: number;
  readonly blocked?: number;
}

/** Costs behind a cache: its elements come out of memory that no processor has touched for a while. */
export interface BehindCache {
  /** CPU seconds by operator, the cache itself among them, at the load of the model. */
  readonly cpu: ReadonlyMap<string, number>;
  readonly crossingFactor: number;
  readonly outside: number;
}

/** Storage, the network, or whoever takes the elements; elements per second. */
export interface ModelLimit {
  readonly kind: 'storage' | 'network' | 'consumer';
  readonly rate: number;
}

/**
 * The costs that a recording shows. `staying`: operators of which a trial has shown that what leaves them cannot go to another thread.
 */
export function modelOf(
  analysis: Analysis,
  cores: number,
  rules: RuntimeRules,
  staying: readonly string[] = [],
): PipelineModel {
  const { graph, rates } = analysis;
  const stay = new Set([...staying, ...stayingOperators(analysis)]);
  const recorded = operatorsUpstreamFirst(graph.operators).map((operator): ModelOperator => {
    const its = rates.operators.find(({ id }) => id === operator.id);
    return {
      ...operator,
      sequential: operator.sequential || hasEffectsInOrder(operator),
      cpu: its?.cpuDemand.estimate ?? 0,
      blocked: its?.blockedDemand ?? 0,
      ...handedBy(analysis, operator.id),
      stays: stay.has(operator.id),
      idle: false,
    };
  });
  const operators = tied(recorded);
  return {
    operators,
    rules,
    outside: outsideStages(rates) - backgroundOf(analysis),
    crossingFactor: crossingFactor(analysis, BETWEEN_THREADS),
    cores,
    limits: isNeeded => constraintsOf(analysis, {}, isNeeded).flatMap(limitOf),
    load: rates.cpu.busy,
    growth: new Map(),
    kept: new Map(),
    calls: new Map(),
  };
}

/** What it does for its effect is done in order, unless its author divided it. */
export const hasEffectsInOrder = ({ effectsInOrder, parallelism }: Operator): boolean =>
  effectsInOrder === true && (parallelism ?? 1) === 1;

const limitOf = ({ kind, rate }: Constraint): ModelLimit[] =>
  kind === 'storage' || kind === 'network' || kind === 'consumer' ? [{ kind, rate: rate.estimate }] : [];
