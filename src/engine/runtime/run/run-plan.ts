import { laneShare } from '../../../graph/channel-shape.ts';
import type { AppliedPlan } from '../../../model/applied-plan.ts';
import { badOption } from '../../../model/option.ts';
import { applySettings, type PlacedNode, placeNodes } from '../../compile/graph.ts';
import { isAsync, isPerWorker, type Node, policyOf } from '../../compile/node.ts';
import { checkLimits } from '../../compile/plan-limits.ts';
import { checkShape, rewrite } from '../../compile/rewrite.ts';
import {
  type ExecutionPlan,
  inputsOf,
  laneCount,
  outputsOf,
  type PlannedStage,
  type PlanOptions,
  planExecution,
  stageAt,
} from '../../compile/stages.ts';
import { EPOCHS } from '../../compile/traits.ts';
import type { OperatorSettings } from '../../contract/operator-settings.ts';
import type { LaneDescription, LaneProbe, LaneTotals, OpenLaneProbe, ProbeSpec } from '../../contract/probe.ts';
import type { OperatorProgress, Progress } from '../../contract/run.ts';
import type { Pipeline } from '../../description/pipeline.ts';
import { operatorKind } from '../../operators/registry.ts';
import type { LaneSize } from '../books/totals.ts';

export interface GraphOptions extends PlanOptions {
  readonly set: Readonly<Record<string, OperatorSettings>>;
  readonly epochs: number;
  readonly plan?: AppliedPlan | undefined;
}

/** The plan of a run: worked out on the main thread and again in every worker, which must come to the same. */
export function planRun(pipeline: Pipeline<unknown>, options: GraphOptions): ExecutionPlan {
  const root: Node = options.epochs > 1 ? pipeline.repeat(options.epochs, { name: EPOCHS }).node : pipeline.node;
  const placed = placeNodes(root);
  const { plan } = options;
  if (plan !== undefined) checkShape(options.epochs > 1 ? placed.slice(0, -1) : placed, plan);
  return planExecution(applySettings(plan === undefined ? placed : rewrite(placed, plan), options.set), options);
}

/** Throws where a plan asks for more than it may. On the main thread alone: every other would come to the same. */
export function heedLimits(pipeline: Pipeline<unknown>, plan: AppliedPlan | undefined, inline: boolean): void {
  if (plan?.limits === undefined) return;
  const placed = placeNodes(pipeline.node);
  checkLimits(plan, plan.limits, laneCount(placed, inline), () => laneCount(rewrite(placed, plan), inline));
}

/** Per operator of stage `stage`: the passes of its origin until a repeat starts it over; infinite where none does. */
export const cyclesOf = (plan: ExecutionPlan, stage: number): number[] =>
  stageAt(plan, stage).nodes.map(member => plan.topology.cycle(member));

/** Per operator of stage `stage`: passes of its origin that make up one of what leaves it. */
export const perPassOf = (plan: ExecutionPlan, stage: number): number[] =>
  stageAt(plan, stage).nodes.map(member => plan.topology.perPass(member));

/**
 * Stage `stage` keeps track of which elements it has: a function asks for it, or the number of the element a function
 * fails on could not be told otherwise. Where the source's elements are counted in the same loop it can, at no cost.
 */
export const needsIdentity = (plan: ExecutionPlan, stage: number): boolean =>
  sendsIdentity(plan, stage) || asksIdentity(stageAt(plan, stage).nodes);

/** It tells those who read from it as well: next to the cost of a channel, numbers are nothing. An origin numbers anew. */
export const sendsIdentity = (plan: ExecutionPlan, stage: number): boolean =>
  plan.links.some(({ from, to }) => {
    const [first, ...others] = plan.stages[to ?? -1]?.nodes ?? [];
    if (from !== stage || to === undefined || first === undefined || plan.topology.isOrigin(first)) return false;
    return [first, ...others].some(({ node }) => namesElements(node)) || sendsIdentity(plan, to);
  });

/** It may fail on an element, and says on which. */
const namesElements = ({ kind, call }: Node): boolean => call !== undefined || operatorKind(kind).refuses === true;

function asksIdentity(nodes: readonly PlacedNode[]): boolean {
  const holder = nodes.findIndex(({ node }) => operatorKind(node.kind).flush !== undefined);
  return nodes.some(({ node }, at) => {
    const { call, madeOf } = node;
    if (call === undefined) return namesElements(node) && holder >= 0 && at > holder;
    return (
      policyOf(node) !== undefined ||
      (isPerWorker(call) ? madeOf === undefined : call.length >= 2) ||
      isAsync(call) ||
      (holder >= 0 && at > holder)
    );
  });
}

/**
 * Channels take half the memory budget; the other half is for elements under way in the lanes and at the consumer. Those that
 * are `gone`, as all are upstream of a cache that has everything, leave their part to the others.
 */
export const laneAllowance = ({ stages }: ExecutionPlan, memory: number, gone = 0): number =>
  laneShare(memory, stages.reduce((lanes, { parallelism }) => lanes + parallelism, 0) - gone);

/** Channels that are in everyone's way may grow by this much, out of what is meant for the lanes. */
export const growthOf = (memory: number): number => memory / 4;

/** How much the books of one lane of stage `stage` hold. */
export const laneSize = (plan: ExecutionPlan, stage: number): LaneSize => ({
  operators: stageAt(plan, stage).nodes.length,
  inputs: inputsOf(plan, stage).length,
  outputs: outputsOf(plan, stage).length,
});

interface LaneDone {
  readonly stage: number;
  readonly totals: { readonly done: number };
}

/**
 * How far the source is that has the longest way to go; undefined where one does not know its length. Behind a cache that
 * is whole, sources do not count any more; until it is, they are on the first of its passes.
 */
export function leastDone(plan: ExecutionPlan, lanes: readonly LaneDone[]): number | undefined {
  const shares = lanes.flatMap(({ stage, totals: { done } }) => {
    const first = plan.stages[stage]?.nodes[0];
    if (first === undefined || (first.node.source === undefined && (!keeps(first) || done < 0))) return [];
    const caches = plan.nodes.some(keeps) ? [...plan.topology.downstream(first)].filter(keeps) : [];
    if (caches.some(cache => (lanes.find(heads(plan, cache))?.totals.done ?? -1) >= 0)) return [];
    const passes = Math.max(1, ...caches.map(cache => plan.topology.passes(cache)));
    return [Number.isFinite(passes) ? done / passes : -1];
  });
  const least = Math.min(...shares);
  return shares.length === 0 || least < 0 ? undefined : least;
}

const keeps = ({ node }: PlacedNode): boolean => operatorKind(node.kind).keeps === true;

const heads =
  ({ stages }: ExecutionPlan, placed: PlacedNode) =>
  ({ stage }: LaneDone): boolean =>
    stages[stage]?.nodes[0] === placed;

/** Where a run stands, by the totals of its lanes. */
export function progressOf(
  plan: ExecutionPlan,
  lanes: readonly { readonly stage: number; readonly totals: LaneTotals }[],
): Pick<Progress, 'done' | 'operators'> {
  const operators = plan.stages.flatMap(({ nodes }, stage) =>
    nodes.map(({ id }, at) => {
      const sum = (column: Exclude<keyof OperatorProgress, 'id'>): number =>
        lanes.reduce((total, lane) => total + (lane.stage === stage ? (lane.totals[column][at] ?? 0) : 0), 0);
      return {
        id,
        elementsIn: sum('elementsIn'),
        elementsOut: sum('elementsOut'),
        keyedDraws: sum('keyedDraws'),
        ambientDraws: sum('ambientDraws'),
      };
    }),
  );
  return { done: leastDone(plan, lanes), operators };
}

/** What a probe is told of a lane; `lane` tells it from the others of its stage. */
export const describeLane = ({ id, nodes }: PlannedStage, start: bigint, lane = ''): LaneDescription => {
  return { name: `${id}${lane}`, stage: id, operators: nodes.map(node => node.id), start };
};

/** Undefined where the run is not watched. */
export async function openProbe(
  spec: ProbeSpec | undefined,
  lane: LaneDescription,
  totals: LaneTotals,
  plan: ExecutionPlan,
): Promise<LaneProbe | undefined> {
  if (spec === undefined) return undefined;
  const loaded = (await import(spec.module)) as { openLaneProbe?: OpenLaneProbe };
  if (typeof loaded.openLaneProbe !== 'function') {
    throw badOption(`${spec.module} exports no openLaneProbe`, 'give the URL of a module that exports openLaneProbe');
  }
  return loaded.openLaneProbe(spec.options, lane, totals, plan.graph);
}
