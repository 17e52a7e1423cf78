import { VenturiError } from '../../model/errors.ts';
import type { Pipeline } from '../api/pipeline.ts';
import type { OperatorSettings } from '../api/run.ts';
import { applySettings, type PlacedNode, placeNodes } from '../compile/graph.ts';
import { isAsync, isPerWorker, type Node, policyOf } from '../compile/node.ts';
import { type ExecutionPlan, type PlanOptions, planExecution } from '../compile/stages.ts';
import { operatorKind } from '../operators/registry.ts';
import type { LaneDescription, LaneProbe, LaneTotals, OpenLaneProbe, ProbeSpec } from './probe.ts';

export interface GraphOptions extends PlanOptions {
  readonly set: Readonly<Record<string, OperatorSettings>>;
  readonly epochs: number;
}

/** The plan of a run: worked out on the main thread and again in every worker, which must come to the same. */
export function planRun(pipeline: Pipeline<unknown>, options: GraphOptions): ExecutionPlan {
  const root: Node = options.epochs > 1 ? pipeline.repeat(options.epochs, { name: 'epochs' }).node : pipeline.node;
  const nodes = applySettings(placeNodes(root), options.set);
  checkRepeats(nodes);
  return planExecution(nodes, options);
}

/** Passes the source makes: what all repeats together ask for. */
export const passesOf = (nodes: readonly PlacedNode[]): number =>
  nodes.reduce((passes, { node }) => {
    if (node.kind !== 'repeat') return passes;
    return passes * (node.settings.times === 'forever' ? Number.POSITIVE_INFINITY : Number(node.settings.times));
  }, 1);

const lastRepeat = (nodes: readonly PlacedNode[]): number => nodes.findLastIndex(({ node }) => node.kind === 'repeat');

/** Per operator of stage `stage`: the source's passes until a repeat starts it over; infinite where none follows. */
export function cyclesOf({ nodes, stages }: ExecutionPlan, stage: number): number[] {
  const members = stages[stage]?.nodes ?? [];
  return members.map(member => {
    const at = nodes.indexOf(member);
    return at > lastRepeat(nodes) ? Number.POSITIVE_INFINITY : passesOf(nodes.slice(0, at));
  });
}

/** A `take` can end a pass early, so that nobody knows how many elements the source had left. */
export const passesAreCut = (nodes: readonly PlacedNode[]): boolean =>
  nodes.slice(0, Math.max(0, lastRepeat(nodes))).some(({ node }) => node.kind === 'take');

/** Behind an endless repeat no later one ever gets its turn, not even where a `take` stands between them. */
function checkRepeats(nodes: readonly PlacedNode[]): void {
  const endless = nodes.findIndex(({ node }) => node.kind === 'repeat' && node.settings.times === 'forever');
  if (endless < 0 || endless === lastRepeat(nodes)) return;
  const later = nodes[lastRepeat(nodes)]?.id;
  throw new VenturiError(
    'VENTURI_BAD_OPTION',
    `'${nodes[endless]?.id}' repeats forever, so '${later}' cannot start it over`,
    { remedy: 'give the first one a number of times, or leave out the second (and --epochs, which adds one)' },
  );
}

/**
 * Stage `stage` keeps track of which elements it has: a function asks for it, or the number of the element a function
 * fails on could not be told otherwise. Where the source's elements are counted in the same loop it can, at no cost.
 */
export const needsIdentity = (plan: ExecutionPlan, stage: number): boolean =>
  sendsIdentity(plan, stage) || asksIdentity(plan.stages[stage]?.nodes ?? []);

/** It tells the next stage as well: next to the cost of a channel, numbers are nothing. */
export const sendsIdentity = ({ stages }: ExecutionPlan, stage: number): boolean =>
  stages.slice(stage + 1).some(({ nodes }) => nodes.some(({ node }) => node.call !== undefined));

function asksIdentity(nodes: readonly PlacedNode[]): boolean {
  const holder = nodes.findIndex(({ node }) => operatorKind(node.kind).flush !== undefined);
  return nodes.some(({ node }, at) => {
    const { call } = node;
    if (call === undefined) return false;
    return (
      policyOf(node) !== undefined ||
      isPerWorker(call) ||
      call.length >= 2 ||
      isAsync(call) ||
      (holder >= 0 && at > holder)
    );
  });
}

/** The first operator of a stage may be lent what lies in its input's slots, as long as nothing passes it on as it is. */
export function borrows(nodes: readonly PlacedNode[]): boolean {
  const first = nodes.find(({ node }) => node.kind !== 'filter' || !node.borrow);
  return first?.node.borrow ?? false;
}

/** Channels take half the memory budget; the other half is for elements under way in the lanes and at the consumer. */
export const laneAllowance = ({ stages }: ExecutionPlan, memory: number): number =>
  memory / 2 / stages.reduce((lanes, { parallelism }) => lanes + parallelism, 1);

export async function openProbe(
  spec: ProbeSpec,
  lane: LaneDescription,
  totals: LaneTotals,
  plan: ExecutionPlan,
): Promise<LaneProbe> {
  const loaded = (await import(spec.module)) as { openLaneProbe?: OpenLaneProbe };
  if (typeof loaded.openLaneProbe !== 'function') {
    throw new VenturiError('VENTURI_BAD_OPTION', `${spec.module} exports no openLaneProbe`, {
      remedy: 'give the URL of a module that exports openLaneProbe',
    });
  }
  return loaded.openLaneProbe(spec.options, lane, totals, plan.graph);
}
