import type { Operator } from '../model/graph.ts';
import { repeatsOf, type Topology } from './topology.ts';

/** Operators that share a loop, which so many lanes run. */
export interface FusedStage<T> {
  readonly nodes: readonly T[];
  readonly lanes: number;
}

/** A stage that may grow. */
export interface OpenStage {
  readonly lanes: number;
  /** Its operators asked for these lanes; otherwise they are what a stage has unasked. */
  readonly isAsked: boolean;
  readonly last: Operator;
  /**
   * Operators that its elements have passed since one lane had all of them in order and could count them: the last one of that lane,
   * and those behind it up to `last`. Undefined where others read along, or where passes were made one on the way.
   */
  readonly way: readonly Operator[] | undefined;
}

/** How a runtime fuses operators. */
export interface FusingRules {
  /** Lanes of a stage whose operators ask for none. */
  readonly lanesUnasked: number;
  /** Lanes that an operator asks for; undefined: it rides along. */
  lanesAsked(operator: Operator): number | undefined;
  /** Whether it joins the stage of the one operator it reads from. */
  joins(operator: Operator, stage: OpenStage): boolean;
}

/** Where the elements of a stage come from, and whether nobody else gets them. */
interface Upstream<T> {
  readonly stage: GrowingStage<T>;
  readonly isAlone: boolean;
}

/** A stage while it is put together. */
class GrowingStage<T> implements FusedStage<T>, OpenStage {
  readonly nodes: T[] = [];
  readonly lanes: number;
  readonly isAsked: boolean;
  last: Operator;
  way: Operator[] | undefined;
  /** Passes of the origin that make up one of what leaves it. */
  #perPass: number;
  /** Its one lane has all elements in order. */
  #counts = false;

  /** Of operators that read from `upstream`; nothing where they number their elements themselves. */
  constructor(operator: Operator, lanes: number, isAsked: boolean, upstream: Upstream<T> | undefined) {
    this.last = operator;
    this.lanes = lanes;
    this.isAsked = isAsked;
    this.way = upstream?.isAlone === true && upstream.stage.way !== undefined ? [...upstream.stage.way] : undefined;
    this.#perPass = upstream === undefined ? 1 : upstream.stage.#perPass;
  }

  add(node: T, operator: Operator): void {
    this.nodes.push(node);
    this.last = operator;
    this.#perPass *= repeatsOf(operator);
    if (this.lanes <= 1 && operator.stateful === true) this.#counts = true;
    if (this.#counts) this.way = this.#perPass === 1 ? [operator] : undefined;
    else this.way?.push(operator);
  }
}

/**
 * The stages of a graph. Of any runtime: an operator that several read ends its stage, and one that reads from several, or puts
 * its elements together before the loop, begins one. The rest is for the runtime's rules to say.
 */
export function cutStages<T>(topology: Topology<T>, rules: FusingRules): readonly FusedStage<T>[] {
  const stages: GrowingStage<T>[] = [];
  const stageOf = new Map<T, GrowingStage<T>>();
  for (const node of topology.nodes) {
    const operator = topology.operatorOf(node);
    const upstream = topology.isOrigin(node) ? undefined : upstreamOf(topology, node, stageOf);
    const asked = rules.lanesAsked(operator);
    const joined = upstream?.isAlone === true && rules.joins(operator, upstream.stage) ? upstream.stage : undefined;
    const stage = joined ?? new GrowingStage<T>(operator, asked ?? rules.lanesUnasked, asked !== undefined, upstream);
    if (joined === undefined) stages.push(stage);
    stage.add(node, operator);
    stageOf.set(node, stage);
  }
  return stages;
}

function upstreamOf<T>(
  topology: Topology<T>,
  node: T,
  stageOf: ReadonlyMap<T, GrowingStage<T>>,
): Upstream<T> | undefined {
  const [input] = topology.inputs(node);
  const stage = input === undefined ? undefined : stageOf.get(input);
  if (input === undefined || stage === undefined) return undefined;
  return { stage, isAlone: topology.readers(input).length === 1 };
}
